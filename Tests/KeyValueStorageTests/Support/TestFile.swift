import FoundationEssentials
import StorageInternals
import TestSupport

@testable import KeyValueStorage

/// A settings file in its own directory, which is removed when this object is released.
final class TestFile: Sendable {
  private let temporary: TemporaryDirectory
  let path: String
  let format: KeyValueFormat

  init(_ format: KeyValueFormat = .json, inMemory: Bool = false) throws {
    temporary = try TemporaryDirectory(inMemory: inMemory)
    ReportedFailures.record()
    self.format = format
    path = temporary(format == .json ? "settings.json" : "settings.plist")
  }

  /// A file with the values of some keys.
  convenience init(
    _ format: KeyValueFormat = .json, inMemory: Bool = false, values: [String: Int]
  ) throws {
    try self.init(format, inMemory: inMemory)
    try encoded(values).write(to: URL(filePath: path))
  }

  var directory: String { temporary.path }

  private func backend(_ fileSystem: FileSystem, _ gracePeriod: Duration) -> FileBackend {
    FileBackend(path: path, format: format, fileSystem: fileSystem, gracePeriod: gracePeriod)
  }

  /// Another store for the same file, as in another process, without a limit for its lock.
  func open(
    _ writes: WritePolicy = .durable, _ fileSystem: FileSystem = FileSystem(),
    at path: String? = nil, version: Int = 0, _ migrations: [KeyValueMigration] = []
  ) -> KeyValueStore {
    let store = KeyValueStore(
      FileBackend(path: path ?? self.path, format: format, fileSystem: fileSystem), writes: writes,
      version: version, migrations: migrations)
    store.lockTimeout = .seconds(100_000)
    return store
  }

  /// A store that waits so long until a file that another program is writing is complete.
  func openPatiently(
    _ writes: WritePolicy = .durable, _ fileSystem: FileSystem = FileSystem(),
    patienceOfBackend: Duration = .zero, patience: Duration = .seconds(100_000)
  ) -> KeyValueStore {
    let store = KeyValueStore(
      backend(fileSystem, patienceOfBackend), writes, SettingsVersion(0, []), gracePeriod: patience)
    store.lockTimeout = .seconds(100_000)
    return store
  }

  /// A store without a thread that could end a failure by what it read before.
  func openUnobserved(
    _ writes: WritePolicy = .durable, _ fileSystem: FileSystem = FileSystem(),
    patience: Duration = .milliseconds(200)
  ) -> KeyValueStore {
    KeyValueStore(HookedBackend(base: backend(fileSystem, patience)), writes: writes)
  }

  /// A place in the file.
  func place(_ line: Int? = nil, _ column: Int? = nil) -> FilePlace {
    FilePlace(path: path, line: line, column: column)
  }

  /// A property for the key `number`, which is 0 by default.
  func number(in store: KeyValueStore? = nil) -> StoredValue<Int> {
    StoredValue(wrappedValue: 0, "number", in: store ?? open())
  }

  /// The values of all keys, as another store reads them.
  func values() throws -> [String: Int] {
    let store = open()
    return try store.keys().reduce(into: [:]) { $0[$1] = try store.value(of: $1) }
  }

  var text: String { get throws { try String(contentsOfFile: path, encoding: .utf8) } }

  var bytes: [UInt8] { get throws { try content(of: path) } }

  /// The bytes of a file with these values in this format.
  func encoded(_ values: [String: Int]) throws -> Data {
    let file = try TestFile(format)
    let store = file.open()
    try store.transaction { for (key, value) in values { try store.set(value, for: key) } }
    return Data(try file.bytes)
  }

  /// The temporary files of killed writers.
  var temporaryFiles: [String] {
    get throws { try FileSystem().entries(of: directory).filter { $0.hasSuffix(".tmp") } }
  }

  /// Replaces the file's bytes in place, as `>` in a shell does.
  func overwrite(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: path)) }
}

/// A shell that runs commands on files.
enum Shell {
  /// Runs a script in a directory until a command fails.
  static func run(_ script: String, in directory: String) throws {
    try ChildProcess("/bin/sh", ["-ec", "cd '\(directory)'\n\(script)"]).wait()
  }
}
