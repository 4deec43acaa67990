import FoundationEssentials
import StorageInternals

@testable import KeyValueStorage

/// A file of settings in a directory of its own, removed when this is released.
final class TestFile: Sendable {
  let directory: String
  let path: String
  let format: KeyValueFormat

  init(_ format: KeyValueFormat = .json) throws {
    directory = FileManager.default.temporaryDirectory.path + "/KeyValueStorage-\(UUID())"
    try FileSystem().makeDirectories(directory)
    self.format = format
    path = directory + (format == .json ? "/settings.json" : "/settings.plist")
  }

  deinit {
    do {
      try FileManager.default.removeItem(atPath: directory)
    } catch {
      fatalError("\(directory) cannot be removed: \(error)")
    }
  }

  /// Another object over the same file, as another process has one.
  func open(
    _ writes: WritePolicy = .durable, version: Int = 0, _ migrations: [KeyValueMigration] = []
  ) -> KeyValueStore {
    KeyValueStore(
      FileBackend(path: path, format: format), writes: writes, version: version,
      migrations: migrations)
  }

  var text: String {
    get throws { try String(contentsOfFile: path, encoding: .utf8) }
  }

  /// Replaces the file's bytes in place, as `>` of a shell does.
  func overwrite(_ text: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path))
  }
}
