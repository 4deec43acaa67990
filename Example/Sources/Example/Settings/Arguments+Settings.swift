import FoundationEssentials
import KeyValueStorage

extension Option {
  static let settingsFile = Option(
    "file", "FILE", "the settings, instead of this program's own: a .json or .plist file")
}

extension Arguments {
  /// The settings that are meant.
  func settings() throws -> KeyValueStore {
    // A failure that matters is thrown, and one line of it is enough.
    KeyValueStore.onFailure = { _ in }
    guard let path = try path(.settingsFile) else { return .standard }
    let file = URL(filePath: path)
    switch file.pathExtension.lowercased() {
    case "json": return KeyValueStore(json: file)
    case "plist": return KeyValueStore(propertyList: file, format: Self.format(of: file))
    default: throw UsageError("--file needs a file whose name ends in .json or .plist.")
    }
  }

  /// The form that an existing property list has; a new one is text.
  private static func format(of file: URL) -> PropertyListFormat {
    do {
      let bytes = try Data(contentsOf: file, options: .mappedIfSafe)
      return bytes.starts(with: Data("bplist".utf8)) ? .binary : .xml
    } catch {
      // There is no file, or the store says what is wrong with it.
      return .xml
    }
  }
}
