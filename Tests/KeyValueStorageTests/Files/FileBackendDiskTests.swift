import CLibrary
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// A file on a full or read-only disk.
@Suite(.enabled(if: MountedDirectory.isPossible, "Only root can mount a small file system."))
struct FileBackendDiskTests {
  let file: BackendFile
  init() throws { file = try BackendFile() }

  private func expect(
    _ code: Int32, of backend: FileBackend, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let value = String(repeating: "y", count: 20_000)
    let error = #expect(throws: KeyValueStoreError.self, sourceLocation: sourceLocation) {
      try backend.set("a", value)
    }
    #expect(error?.code == code, sourceLocation: sourceLocation)
    #expect(error?.isReadOnly == (code == EROFS), sourceLocation: sourceLocation)
  }

  @Test func fullDiskRefusesWritesAndKeepsTheFile() throws {
    let mount = try MountedDirectory(file("full"), "size=256k")
    let path = "\(mount.path)/settings"
    let backend = file.open(path)
    try backend.set("a", "1")
    try mount.fill()
    for _ in 0..<3 {
      expect(ENOSPC, of: backend)
      #expect(try backend.texts() == ["a": "1"])
      #expect(try file.open(path).texts() == ["a": "1"])
      let names = try FileSystem().entries(of: mount.path).sorted()
      #expect(names == [".settings.lock", "filling", "settings"])
    }
    try mount.makeRoom()
    try backend.set("a", "2")
    #expect(try file.open(path).texts() == ["a": "2"])
  }

  @Test func fullDiskRefusesANewFile() throws {
    let mount = try MountedDirectory(file("new"), "size=64k")
    let path = "\(mount.path)/a/settings"
    try mount.fill()
    let backend = file.open(path)
    expect(ENOSPC, of: backend)
    #expect(try backend.texts() == [:])
    try mount.makeRoom()
    try backend.set("a", "2")
    #expect(try file.open(path).texts() == ["a": "2"])
  }

  @Test(arguments: 1..<6)
  func noMoreInodesAreAnErrorAtWhateverFileItIs(_ count: Int) throws {
    // The root directory takes one inode.
    let mount = try MountedDirectory(file("inodes"), "size=1m,nr_inodes=\(count)")
    let path = "\(mount.path)/a/settings"
    let backend = file.open(path)
    if count < 4 {
      expect(ENOSPC, of: backend)
      #expect(try backend.texts() == [:])
      return
    }
    // One inode each for the directory, the lock and the file.
    try backend.set("a", "1")
    #expect(try file.open(path).texts() == ["a": "1"])
    if count == 4 {
      expect(ENOSPC, of: backend)
    } else {
      try backend.set("a", "2")
    }
    #expect(try backend.texts() == ["a": count == 4 ? "1" : "2"])
  }

  @Test func readOnlyFileIsReadAndNotWritten() throws {
    let mount = try MountedDirectory(file("readonly"), "size=256k")
    let path = "\(mount.path)/settings"
    let backend = file.open(path)
    try backend.set("a", "1")
    try file.replace("a=9\n", at: "\(mount.path)/.settings.0123456789abcdef.tmp")
    // The file system can be remounted although the backend has its file open.
    try mount.remount(readOnly: true)
    for reader in [backend, file.open(path)] {
      #expect(try reader.texts() == ["a": "1"])
      expect(EROFS, of: reader)
      #expect(try reader.texts() == ["a": "1"])
    }
    try mount.remount(readOnly: false)
    for (number, writer) in [backend, file.open(path)].enumerated() {
      try writer.set("a", "\(number)")
      #expect(try backend.texts() == ["a": "\(number)"])
    }
    #expect(try FileSystem().entries(of: mount.path).sorted() == [".settings.lock", "settings"])
  }

  /// Unlike most file systems, `ramfs` has timestamps no finer than the kernel's clock tick.
  @Test func changesWithinATickOfTheClockAreNoticed() throws {
    let mount = try MountedDirectory(file("coarse"), "", type: "ramfs")
    let path = "\(mount.path)/settings"
    let backend = file.open(path)
    let writer = try FileSystem().open(path, O_WRONLY | O_CREAT, mode: 0o600)
    for number in 1000..<3000 {
      try writer.write(Array("a=\(number)\n".utf8), at: 0)
      try #require(try backend.texts() == ["a": "\(number)"])
    }
  }
}
