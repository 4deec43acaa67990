import CLibrary
import Concurrency
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// Files that this process cannot write, as in `/etc` or a mounted ConfigMap.
struct ReadOnlyFileTests {
  /// The calls of a write that the kernel refuses.
  private static let refusals: [(call: FileSystem.Call, code: Int32)] = [
    (.open, EACCES), (.open, EROFS), (.open, EPERM), (.rename, EACCES), (.rename, EPERM),
    (.rename, EROFS), (.mkdir, EACCES), (.mkdir, EROFS),
  ]

  @Test(arguments: refusals.indices)
  func refusedWriteIsACaseOfItsOwn(_ index: Int) throws {
    let (refused, code) = Self.refusals[index]
    let directory = try TemporaryDirectory()
    ReportedFailures.record()
    let isArmed = Lock(false)
    let fileSystem = FileSystem { call, path in
      let isWritten = refused != .open || path.hasSuffix(".lock")
      let isRefused = call == refused || refused == .rename && call == .renameat2
      return isArmed.withLock { $0 } && isRefused && isWritten ? code : nil
    }
    let path = directory("etc/app/settings.json")
    let store = KeyValueStore(FileBackend(path: path, format: .json, fileSystem: fileSystem))
    let volume = StoredValue(wrappedValue: 0.8, "volume", in: store)
    if refused != .mkdir { try volume.save(0.5) }
    isArmed.withLock { $0 = true }
    #expect {
      try volume.save(0.25)
    } throws: { error in
      guard case .readOnly(let message)? = error as? KeyValueStoreError else { return false }
      return message.contains(path) && message.contains("(errno \(code))")
        && !message.contains("0.25")
    }
    // As with any other failure, a property keeps its value until the file can be written.
    volume.wrappedValue = 0.25
    #expect(volume.error?.isReadOnly == true)
    #expect(volume.wrappedValue == 0.25)
    isArmed.withLock { $0 = false }
    try store.synchronize()
    #expect(volume.error == nil)
    #expect(try KeyValueStore(json: URL(filePath: path)).value(of: "volume") == 0.25)
  }

  @Test(.enabled(if: MountedDirectory.isPossible, "Only root can mount a file system."))
  func readOnlyMountIsReadAndRefusesWrites() throws {
    let directory = try TemporaryDirectory()
    ReportedFailures.record()
    let mount = try MountedDirectory(directory("config"), "size=256k")
    let file = URL(filePath: "\(mount.path)/settings.json")
    try Data(#"{"volume": 0.5}"#.utf8).write(to: file)
    try mount.remount(readOnly: true)
    let own = directory.url.appending(path: "own.json")
    for layers in [[.json(file)], [.json(file), .json(own)]] as [[KeyValueLayer]] {
      let store = KeyValueStore(layers: layers)
      #expect(try store.value(of: "volume") == 0.5)
      #expect {
        try store.set(0.25, for: "volume")
      } throws: { error in
        guard let error = error as? KeyValueStoreError else { return false }
        return error.isReadOnly && "\(error)".contains("(errno \(EROFS))")
      }
    }
    let store = KeyValueStore(layers: [.json(own), .json(file, isReadOnly: true)])
    try store.set(0.25, for: "volume")
    #expect(try store.value(of: "volume") == 0.25)
  }
}
