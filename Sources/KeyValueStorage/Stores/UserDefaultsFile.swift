package import FoundationEssentials
import StorageInternals

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// What was read of a property list that Foundation's `UserDefaults` wrote.
package struct UserDefaultsFile: Sendable {
  package let path: String
  /// What the path itself led to when the file was read; nil when there was nothing.
  private let status: FileStatus?
  /// The keys and values, by ascending key.
  let values: [(key: StoredKey, tree: ValueTree)]
  /// The keys whose values were property lists or URLs in `Data`, and were decoded.
  package let decodedKeys: [String]
  /// The keys whose values are property lists or URLs in `Data`, and were not decoded.
  package let codedKeys: [String]

  /// Reads a file, in XML as Foundation writes it here or in the binary form that it has elsewhere.
  ///
  /// - Parameters:
  ///   - path: The file; nothing is read if there is none.
  ///   - isDecoded: Whether `Data` of a key that is a binary property list, or a URL in an
  ///     archive, becomes what that holds.
  /// - Throws: Why the file could not be read.
  package init(
    _ path: String, decoding isDecoded: (String) -> Bool = { _ in false }
  ) throws(KeyValueStoreError) {
    self.path = path
    status = try system { () throws(SystemError) in try FileSystem().status(of: path) }
    let format: KeyValueFormat = try Self.isBinary(path) ? .binaryPropertyList : .xmlPropertyList
    let contents = try FileBackend(path: path, format: format).load()
    var values: [(key: StoredKey, tree: ValueTree)] = []
    var (decodedKeys, codedKeys): ([String], [String]) = ([], [])
    for key in contents.keys {
      guard let value = contents[key] else { continue }
      var tree = try format.coding.tree(value, type: Any.self, key: key)
      if let decoded = Self.decoded(tree) {
        if isDecoded(key) {
          tree = decoded
          decodedKeys.append(key)
        } else {
          codedKeys.append(key)
        }
      }
      values.append((StoredKey(key), tree))
    }
    self.values = values
    self.decodedKeys = decodedKeys
    self.codedKeys = codedKeys
  }

  package var count: Int { values.count }

  /// The `Data` of a key; nil for another value, and where there is none.
  package func data(of key: String) -> Data? {
    let key = StoredKey(key)
    guard case .data(let data)? = values.first(where: { $0.key == key })?.tree else { return nil }
    return data
  }

  package var isThere: Bool { status != nil }

  /// Where Foundation keeps a suite; nil means `UserDefaults.standard`.
  package static func path(ofSuite name: String?) throws(KeyValueStoreError) -> String {
    do throws(ApplicationDirectoriesError) {
      return try ApplicationDirectories(applicationName: name).configuration + ".plist"
    } catch {
      throw .unavailable("\(error)")
    }
  }

  /// Refuses to remove what is not the file that was read.
  package func checkRemovable() throws(KeyValueStoreError) {
    let now = try system { () throws(SystemError) in try FileSystem().status(of: path) }
    guard let now else { throw .unavailable("\(path) is not there any more.") }
    if now.isSymbolicLink {
      throw .unavailable("\(path) is a symbolic link. Name the file itself to have it removed.")
    }
    if now != status {
      throw .unavailable("\(path) was changed after it was read. It was not removed.")
    }
  }

  package func remove() throws(KeyValueStoreError) {
    try checkRemovable()
    try system { () throws(SystemError) in try FileSystem().unlink(path) }
  }

  private static func isBinary(_ path: String) throws(KeyValueStoreError) -> Bool {
    let start = Array("bplist".utf8)
    return try system { () throws(SystemError) in
      let fileSystem = FileSystem()
      // To open what is no file might wait.
      guard let status = try fileSystem.status(of: path, followingLink: true),
        status.isRegularFile
      else { return false }
      let file = try fileSystem.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
      return try file.read(from: 0, count: start.count) == start
    }
  }

  /// What a property list in `Data` holds; nil when the value is anything else.
  ///
  /// `PropertyListEncoder` refuses other tops than containers and `Data`. Archives of objects are others,
  /// but for those of URLs.
  private static func decoded(_ tree: ValueTree) -> ValueTree? {
    guard case .data(let data) = tree else { return nil }
    if let archived = ArchivedURL(data) { return .string(archived.url.absoluteString) }
    do throws(FormatError) {
      switch try BinaryPropertyListFormat().decode(Array(data)[...]) {
      case .array(let elements): return .array(elements)
      case .dictionary(let elements): return .dictionary(elements)
      case .data(let data): return .data(data)
      default: return nil
      }
    } catch {
      // Then it is data of another kind, such as a picture or an archive of objects.
      return nil
    }
  }
}
