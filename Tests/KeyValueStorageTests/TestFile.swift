import Dispatch
import FoundationEssentials
import StorageInternals
import TestSupport

@testable import KeyValueStorage

/// A file of settings in a directory of its own, removed when this is released.
final class TestFile: Sendable {
  private let temporary: TemporaryDirectory
  let path: String
  let format: KeyValueFormat

  init(_ format: KeyValueFormat = .json) throws {
    temporary = try TemporaryDirectory()
    ToldFailures.record()
    self.format = format
    path = temporary(format == .json ? "settings.json" : "settings.plist")
  }

  var directory: String { temporary.path }

  /// Another object over the same file, as another process has one.
  func open(
    _ writes: WritePolicy = .durable, version: Int = 0, _ migrations: [KeyValueMigration] = []
  ) -> KeyValueStore {
    KeyValueStore(
      FileBackend(path: path, format: format), writes: writes, version: version,
      migrations: migrations)
  }

  /// A store that gives programs all the time that a busy machine may take to put a file back.
  func openPatiently(
    _ writes: WritePolicy = .durable, _ fileSystem: FileSystem = FileSystem()
  ) -> KeyValueStore {
    KeyValueStore(
      FileBackend(path: path, format: format, fileSystem: fileSystem), writes,
      SettingsVersion(0, []), settlingTime: .seconds(600))
  }

  var text: String {
    get throws { try String(contentsOfFile: path, encoding: .utf8) }
  }

  var bytes: [UInt8] {
    get throws { Array(try Data(contentsOf: URL(filePath: path))) }
  }

  /// The bytes of a file with these values in this format.
  func encoded(_ values: [String: Int]) throws -> Data {
    let file = try TestFile(format)
    let store = file.open()
    try store.transaction {
      for (key, value) in values { try store.set(value, for: key) }
    }
    return Data(try file.bytes)
  }

  /// What killed writers left in the directory.
  var litter: [String] {
    get throws { try FileSystem().entries(of: directory).filter { $0.hasSuffix(".tmp") } }
  }

  /// Replaces the file's bytes in place, as `>` of a shell does.
  func overwrite(_ text: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path))
  }
}
