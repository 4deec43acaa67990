import StorageInternals
import ValueFormats

/// The place that a setting's value comes from, such as a layer of a store.
public enum KeyValueSource: Hashable, Sendable {
  /// No layer has a value, so the property has its default one.
  case defaultValue
  /// An option of the command line, with its hyphens, such as `--server.port`.
  case argument(String)
  /// An environment variable, such as `NOTES_SERVER_PORT`.
  case variable(String)
  /// A file.
  case file(path: String)
  /// Memory, or a backend of the app's own, with its name.
  case backend(name: String)
}

extension KeyValueSource: CustomStringConvertible {
  /// The name on one line, such as `--server.port`, `NOTES_SERVER_PORT` or the path of a file.
  public var description: String {
    switch self {
    case .defaultValue: "the default value"
    case .argument(let name), .variable(let name): name.shown(atMost: 200)
    case .file(let path): path.shown(atMost: 4096)
    case .backend(let name): name.shown(atMost: 200)
    }
  }
}

extension KeyValueBackend {
  /// The source of the values of this backend.
  var source: KeyValueSource {
    (self as? FileBackend).map { .file(path: $0.path) } ?? .backend(name: name)
  }
}
