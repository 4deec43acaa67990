import CLibrary
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// A store on a full or read-only disk.
@Suite(.enabled(if: MountedDirectory.isPossible, "Only root can mount a small file system."))
struct StoreFullDiskTests {
  private let directory: TestFile
  init() throws { directory = try TestFile() }

  private func store(
    in mount: MountedDirectory, _ writes: WritePolicy = .durable
  ) -> KeyValueStore {
    KeyValueStore(FileBackend(path: "\(mount.path)/settings", format: .json), writes: writes)
  }

  private func expect(_ code: Int32, _ error: (any Error)?) {
    switch error as? KeyValueStoreError {
    case .system(_, let path, code)? where code != EROFS,
      .readOnly(let path, .refused(_, code))? where code == EROFS:
      #expect(path.hasPrefix("/"))
    default: Issue.record("The error is \(String(describing: error))")
    }
  }

  private func expect(_ code: Int32, _ body: () throws -> Void) {
    expect(code, #expect(throws: KeyValueStoreError.self, performing: body))
  }

  @Test(arguments: [ENOSPC, EROFS], [WritePolicy.durable, .coalesced(within: .seconds(100_000))])
  func refusedWritesKeepTheFile(_ code: Int32, _ writes: WritePolicy) throws {
    let mount = try MountedDirectory("\(directory.directory)/mount", "size=256k")
    try store(in: mount).set("old", for: "text")
    let store = store(in: mount, writes)
    #expect(try store.value(of: "text") == "old")
    let before = try content(of: store.name)
    if code == ENOSPC { try mount.fill() } else { try mount.remount(readOnly: true) }
    let value = String(repeating: "x", count: 20_000)
    let text = StoredValue(wrappedValue: "", "text", in: store)
    let other = StoredValue(wrappedValue: "", "other", in: store)
    for _ in 0..<3 {
      expect(code) { try store.set(value, for: "text") }
      expect(code) { try text.save(value) }
      expect(code) { try store.transaction { text.wrappedValue = value } }
      #expect(text.wrappedValue == "old")
      #expect(text.error == nil)
    }
    text.wrappedValue = value
    expect(code, store.synchronize)
    expect(code, text.error)
    #expect(other.error == nil)
    #expect(text.wrappedValue == value)
    #expect(try content(of: store.name) == before)
    #expect(try self.store(in: mount).value(of: "text") == "old")
    if code == ENOSPC { try mount.makeRoom() } else { try mount.remount(readOnly: false) }
    // The unsaved value is written with the next change, or on request.
    if writes == .durable { other.wrappedValue = "new" } else { try store.synchronize() }
    #expect(text.error == nil)
    #expect(try self.store(in: mount).value(of: "text") == value)
    #expect(try FileSystem().entries(of: mount.path).sorted() == [".settings.lock", "settings"])
  }

  @Test(arguments: 1..<6)
  func missingInodeIsAnErrorOfTheProperty(_ count: Int) throws {
    // The root directory takes one inode.
    let mount = try MountedDirectory("\(directory.directory)/inodes", "size=1m,nr_inodes=\(count)")
    let path = "\(mount.path)/app/settings"
    let number = directory.number(in: KeyValueStore(FileBackend(path: path, format: .json)))
    number.wrappedValue = 1
    #expect(number.wrappedValue == 1)
    // One inode each for the directory, the lock and the settings.
    if count < 4 { expect(ENOSPC, number.error) } else { #expect(number.error == nil) }
    let keys = try KeyValueStore(FileBackend(path: path, format: .json)).keys()
    #expect(keys == (count < 4 ? [] : ["number"]))
  }

  /// Unlike most file systems, `ramfs` has timestamps no finer than the kernel's clock tick.
  @Test func changesWithinATickOfTheClockAreDetected() throws {
    let mount = try MountedDirectory("\(directory.directory)/coarse", "", type: "ramfs")
    let store = store(in: mount)
    let writer = try FileSystem().open(store.name, O_WRONLY | O_CREAT, mode: 0o600)
    for number in 1000..<2000 {
      try writer.write(Array("{\"a\": \(number)}".utf8), at: 0)
      try #require(try store.value(of: "a") == number)
    }
  }
}
