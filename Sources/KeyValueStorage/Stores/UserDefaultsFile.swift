import CLibrary
package import FoundationEssentials
import StorageInternals
import ValueFormats

/// The content of a property list that Foundation's `UserDefaults` wrote.
package struct UserDefaultsFile: Sendable {
  package let path: String
  /// The status of the path itself when the file was read; nil if there was none.
  private let status: FileStatus?
  /// The keys and values, sorted by key.
  let values: [(key: StoredKey, tree: ValueTree)]
  /// The keys with property lists or URLs in `Data` that were decoded.
  package let decodedKeys: [String]
  /// The keys with property lists or URLs in `Data` that were not decoded.
  package let codedKeys: [String]

  /// Reads a file, in XML as Foundation writes it on Linux or in the binary form of other systems.
  ///
  /// - Parameters:
  ///   - path: The file; if it is missing, there are no values.
  ///   - isDecoded: Whether `Data` of a key is decoded, if it is a binary property list or a URL in
  ///     an archive.
  /// - Throws: The reason why the file could not be read.
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

  /// Returns the `Data` of a key; nil if it has another value or none.
  package func data(of key: String) -> Data? {
    let key = StoredKey(key)
    guard case .data(let data)? = values.first(where: { $0.key == key })?.tree else { return nil }
    return data
  }

  package var isThere: Bool { status != nil }

  /// Returns the path at which Foundation keeps a suite; nil means `UserDefaults.standard`.
  package static func path(ofSuite name: String?) throws(KeyValueStoreError) -> String {
    do throws(ApplicationDirectoriesError) {
      return try ApplicationDirectories(applicationName: name).configuration + ".plist"
    } catch {
      throw .unavailable("\(error)")
    }
  }

  /// Throws if the path no longer leads to the file that was read.
  package func checkRemovable() throws(KeyValueStoreError) {
    let now = try system { () throws(SystemError) in try FileSystem().status(of: path) }
    guard let now else { throw .unavailable("\(path) does not exist any more.") }
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
      // Opening anything but a file may block.
      guard let status = try fileSystem.status(of: path, followingLink: true),
        status.isRegularFile
      else { return false }
      let file = try fileSystem.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
      return try file.read(from: 0, count: start.count) == start
    }
  }

  /// Returns the content of a property list in `Data`; nil for any other value.
  ///
  /// `PropertyListEncoder` allows only containers and `Data` at the top. An archive of an object
  /// gives nil as well, unless the object is a URL.
  private static func decoded(_ tree: ValueTree) -> ValueTree? {
    guard case .data(let data) = tree else { return nil }
    if let url = URL(archive: data) { return .string(url.absoluteString) }
    do throws(FormatError) {
      switch try BinaryPropertyListFormat().decode(Array(data)[...]) {
      case .array(let elements): return .array(elements)
      case .dictionary(let elements): return .dictionary(elements)
      case .data(let data): return .data(data)
      default: return nil
      }
    } catch {
      // The data is of another kind, such as a picture or an archive of objects.
      return nil
    }
  }
}
