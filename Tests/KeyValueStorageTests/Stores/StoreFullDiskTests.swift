import CLibrary
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// A store on a full or read-only disk.
@Suite(.enabled(if: MountedDirectory.isPossible, "Only root can mount a small file system."))
struct StoreFullDiskTests {
  struct Kind: Sendable, CustomTestStringConvertible {
    let format: KeyValueFormat
    let writes: WritePolicy

    var testDescription: String { "\(format) \(writes)" }
  }

  static let kinds = KeyValueFormat.allCases.flatMap { format in
    [WritePolicy.durable, .coalesced(within: .seconds(100_000))].map {
      Kind(format: format, writes: $0)
    }
  }

  private let directory: TestFile

  init() throws {
    directory = try TestFile()
  }

  private func store(
    in mount: MountedDirectory, _ kind: Kind, _ writes: WritePolicy? = nil
  ) -> KeyValueStore {
    KeyValueStore(
      FileBackend(path: "\(mount.path)/settings", format: kind.format),
      writes: writes ?? kind.writes)
  }

  private func bytes(in mount: MountedDirectory) throws -> Data {
    try Data(contentsOf: URL(filePath: "\(mount.path)/settings"))
  }

  private func expect(
    _ code: Int32, _ body: () throws -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    do {
      try body()
      Issue.record("There is no error.", sourceLocation: sourceLocation)
    } catch {
      expect(code, error as? KeyValueStoreError, sourceLocation: sourceLocation)
    }
  }

  private func expect(
    _ code: Int32, _ error: KeyValueStoreError?,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(error?.code == code, sourceLocation: sourceLocation)
    #expect(error?.isReadOnly == (code == EROFS), sourceLocation: sourceLocation)
    if case .system(_, let path, _) = error {
      #expect(path.hasPrefix("/"), sourceLocation: sourceLocation)
    }
  }

  /// Expects errors, and an unchanged file, while the store cannot be written.
  private func expectRefusals(
    _ code: Int32, _ mount: MountedDirectory, _ kind: Kind, _ store: KeyValueStore, _ value: String
  ) throws {
    let before = try bytes(in: mount)
    let text = StoredValue(wrappedValue: "", "text", in: store)
    let other = StoredValue(wrappedValue: "", "other", in: store)
    for _ in 0..<3 {
      expect(code) { try store.set(value, for: "text") }
      expect(code) { try text.save(value) }
      #expect { try store.transaction { text.wrappedValue = value } } throws: { error in
        (error as? KeyValueStoreError)?.code == code
      }
      #expect(text.wrappedValue == "old")
      #expect(text.error == nil)
    }
    text.wrappedValue = value
    expect(code, store.synchronize)
    expect(code, text.error)
    #expect(other.error == nil)
    #expect(text.wrappedValue == value)
    #expect(try bytes(in: mount) == before)
    #expect(try self.store(in: mount, kind).value(of: "text") == "old")
  }

  /// Writes the unsaved values in one of the possible ways.
  private func expectSuccess(
    _ mount: MountedDirectory, _ kind: Kind, _ store: KeyValueStore, _ value: String
  ) throws {
    let text = StoredValue(wrappedValue: "", "text", in: store)
    if kind.writes == .durable {
      StoredValue(wrappedValue: 0, "next", in: store).wrappedValue = 1
    } else {
      try store.synchronize()
    }
    #expect(text.error == nil)
    #expect(try self.store(in: mount, kind).value(of: "text") == value)
    #expect(try self.store(in: mount, kind).value(of: "number") == 1)
    let temporaryFiles = try FileSystem().entries(of: mount.path).filter { $0.hasSuffix(".tmp") }
    #expect(temporaryFiles == [])
  }

  private func makeContent(in mount: MountedDirectory, _ kind: Kind) throws {
    let maker = store(in: mount, kind, .durable)
    try maker.set("old", for: "text")
    try maker.set(1, for: "number")
  }

  @Test(arguments: kinds)
  func fullDiskRefusesWritesAndKeepsTheFile(_ kind: Kind) throws {
    let mount = try MountedDirectory("\(directory.directory)/full", "size=256k")
    try makeContent(in: mount, kind)
    let store = store(in: mount, kind)
    try mount.fill()
    let large = String(repeating: "x", count: 20_000)
    try expectRefusals(ENOSPC, mount, kind, store, large)
    try mount.makeRoom()
    try expectSuccess(mount, kind, store, large)
  }

  @Test(arguments: kinds)
  func readOnlyDiskRefusesWritesAndIsRead(_ kind: Kind) throws {
    let mount = try MountedDirectory("\(directory.directory)/readonly", "size=256k")
    try makeContent(in: mount, kind)
    let store = store(in: mount, kind)
    #expect(try store.value(of: "number") == 1)
    try mount.remount(readOnly: true)
    try expectRefusals(EROFS, mount, kind, store, "new")
    try mount.remount(readOnly: false)
    try expectSuccess(mount, kind, store, "new")
  }

  @Test(arguments: 2..<8)
  func noMoreInodesAreAnErrorAtWhateverFileItIs(_ count: Int) throws {
    // The root directory takes one inode.
    let mount = try MountedDirectory("\(directory.directory)/inodes", "size=1m,nr_inodes=\(count)")
    let kind = Kind(format: .json, writes: .durable)
    let store = store(in: mount, kind)
    let number = StoredValue(wrappedValue: 0, "number", in: store)
    number.wrappedValue = 1
    if number.error == nil {
      // One inode each for the lock and for the temporary file, which becomes the settings.
      #expect(count >= 3)
      #expect(try self.store(in: mount, kind).value(of: "number") == 1)
    } else {
      #expect(count < 4)
      expect(ENOSPC, number.error)
      #expect(number.wrappedValue == 1)
      #expect(try self.store(in: mount, kind).keys() == [])
    }
  }

  @Test func diskThatFillsUpKeepsAllThatWasAcknowledged() throws {
    let mount = try MountedDirectory("\(directory.directory)/filling", "size=256k")
    let kind = Kind(format: .json, writes: .durable)
    let store = store(in: mount, kind)
    var truth: [String: String] = [:]
    var refusals = 0
    while refusals < 3 {
      let key = "\(truth.count)"
      let value = String(repeating: "x", count: truth.count * 331 % 5000)
      do {
        try store.set(value, for: key)
        truth[key] = value
      } catch KeyValueStoreError.system(_, _, ENOSPC) {
        refusals += 1
      }
    }
    #expect(truth.count > 10)
    for store in [store, self.store(in: mount, kind)] {
      var found: [String: String] = [:]
      for key in try store.keys() { found[key] = try store.value(of: key) }
      #expect(found == truth)
    }
  }
}
