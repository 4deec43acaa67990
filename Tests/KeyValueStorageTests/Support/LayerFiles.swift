import FoundationEssentials
import TestSupport

@testable import KeyValueStorage

/// The files of a layered store, in a directory that is removed when this object is released.
final class LayerFiles: Sendable {
  let temporary: TemporaryDirectory
  /// The user's file, which is written.
  var user: URL { temporary.url.appending(path: "user.json") }
  /// The system's file.
  var system: URL { temporary.url.appending(path: "system.plist") }

  init() throws {
    temporary = try TemporaryDirectory(inMemory: true)
    ReportedFailures.record()
  }

  /// A store of the environment, the arguments and the two files.
  func open(
    _ variables: [String: String] = [:], arguments: [String] = [],
    writes: WritePolicy = .durable, version: Int = 0, _ migrations: [KeyValueMigration] = []
  ) -> KeyValueStore {
    KeyValueStore(
      layers: [
        .commandLine(arguments), .environment(prefix: "NOTES_", variables), .json(user),
        .propertyList(system),
      ], writes: writes, version: version, migrations: migrations)
  }

  /// Replaces the user's file.
  func writeUser(_ json: String) throws { try Data(json.utf8).write(to: user, options: .atomic) }

  /// Another store for the system's file alone.
  var systemStore: KeyValueStore { KeyValueStore(propertyList: system) }

  /// Another store for the user's file alone.
  var userStore: KeyValueStore { KeyValueStore(json: user) }
}
