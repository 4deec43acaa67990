package import FoundationEssentials
import StorageInternals
package import ValueFormats

/// A property list that Foundation's `UserDefaults` wrote.
package struct UserDefaultsFile: Sendable {
  package let path: String
  /// The status of the file, or of a symbolic link at the path, before the read; nil if missing.
  private let status: FileStatus?
  /// The keys and values, sorted by key.
  package private(set) var values: [(key: StoredKey, tree: ValueTree)] = []
  /// The keys whose values cannot be read, each with the reason as a sentence.
  package private(set) var refused: [String: String] = [:]
  /// The keys whose `Data` contains a property list or a URL that was decoded.
  package private(set) var decodedKeys: [String] = []
  /// The keys whose `Data` contains a property list or a URL that was not decoded.
  package private(set) var codedKeys: [String] = []

  /// Reads a file: XML, which Foundation writes on Linux, or the binary format of other systems.
  ///
  /// A missing file has no values. `shouldDecode` returns whether to decode the `Data` of a key if
  /// it contains a binary property list or an archived URL.
  package init(
    _ path: String, decoding shouldDecode: (String) -> Bool = { _ in false }
  ) throws(KeyValueStoreError) {
    self.path = path
    let (status, isBinary) = try convertingErrors { () throws(SystemError) in
      (try FileSystem().status(of: path), try BinaryPropertyListFormat.isFormat(ofFile: path))
    }
    self.status = status
    // Strings of Foundation have no escapes.
    let coding: any StoredFormat =
      isBinary ? BinaryPropertyListFormat(.plain) : XMLPropertyListFormat(.plain)
    let contents = try FileBackend(path: path, format: isBinary ? .binary : .xml, coding: coding)
      .load()
    for entry in contents.entries {
      let key = entry.key.string
      var tree: ValueTree
      do throws(FormatError) {
        tree = try coding.decode(entry.value)
      } catch {
        refused[key] = "It cannot be read: \(error.reason)."
        continue
      }
      if let decoded = Self.decoded(tree) {
        if shouldDecode(key) {
          tree = decoded
          decodedKeys.append(key)
        } else {
          codedKeys.append(key)
        }
      }
      values.append((entry.key, tree))
    }
  }

  /// Returns the `Data` of a key; nil if the key has no value or a value of another type.
  package func data(of key: String) -> Data? {
    let key = StoredKey(key)
    guard case .data(let data)? = values.first(where: { $0.key == key })?.tree else { return nil }
    return data
  }

  package var exists: Bool { status != nil }

  /// Returns the path of a suite's file; a name of nil means `UserDefaults.standard`.
  package static func path(ofSuite name: String?) throws(KeyValueStoreError) -> String {
    do throws(Unavailable) {
      return try ApplicationDirectories(applicationName: name).configuration + ".plist"
    } catch {
      throw .unavailable("\(error)")
    }
  }

  /// Throws an error if the file was replaced, changed or removed after it was read, or if the path
  /// is a symbolic link.
  package func checkRemovable() throws(KeyValueStoreError) {
    let change = try convertingErrors { () throws(SystemError) in try status?.change(of: path) }
    if let change { throw .unavailable("\(path) was not removed: \(change).") }
  }

  package func remove() throws(KeyValueStoreError) {
    try checkRemovable()
    try convertingErrors { () throws(SystemError) in try FileSystem().unlink(path) }
  }

  /// Returns the value of a property list or an archived URL in `Data`; nil for any other value.
  ///
  /// The root of a property list must be a container or `Data`, as with `PropertyListEncoder`.
  package static func decoded(_ tree: ValueTree) -> ValueTree? {
    guard case .data(let data) = tree else { return nil }
    if let url = URL(archive: data) { return .string(url.absoluteString) }
    do throws(FormatError) {
      let root = try BinaryPropertyListFormat(.foundation).decode(Array(data)[...])
      return switch root {
      case .array, .dictionary, .data: root
      default: nil
      }
    } catch {
      // The data has another format, such as that of an image or of archived objects.
      return nil
    }
  }
}
