import Dispatch
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

  var directory: String { temporary.path }

  /// Another store for the same file, as in another process.
  func open(
    _ writes: WritePolicy = .durable, version: Int = 0, _ migrations: [KeyValueMigration] = []
  ) -> KeyValueStore {
    KeyValueStore(
      FileBackend(path: path, format: format), writes: writes, version: version,
      migrations: migrations)
  }

  /// A store with another grace period.
  func open(gracePeriod: Duration) -> KeyValueStore {
    KeyValueStore(
      FileBackend(path: path, format: format), .durable, SettingsVersion(0, []),
      gracePeriod: gracePeriod)
  }

  /// A store with a grace period that suffices for other programs even on a busy machine.
  func openPatiently(
    _ writes: WritePolicy = .durable, _ fileSystem: FileSystem = FileSystem()
  ) -> KeyValueStore {
    KeyValueStore(
      FileBackend(path: path, format: format, fileSystem: fileSystem), writes,
      SettingsVersion(0, []), gracePeriod: .seconds(600))
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

  /// The temporary files of killed writers.
  var temporaryFiles: [String] {
    get throws { try FileSystem().entries(of: directory).filter { $0.hasSuffix(".tmp") } }
  }

  /// Replaces the file's bytes in place, as `>` in a shell does.
  func overwrite(_ text: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path))
  }
}
