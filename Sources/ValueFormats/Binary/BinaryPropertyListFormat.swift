import CLibrary
package import StorageInternals

/// The format of binary property lists, version 00.
///
/// A fragment is a separate property list whose root is the value.
package struct BinaryPropertyListFormat: StoredFormat {
  private let escaping: StringEscaping

  package init(_ escaping: StringEscaping = .escaped) { self.escaping = escaping }

  /// The maximum number of decoded values, which limits the expansion of shared objects.
  private static let maximumValueCount = 16_000_000

  /// Returns whether a regular file begins like a binary property list.
  package static func isFormat(ofFile path: String) throws(SystemError) -> Bool {
    let fileSystem = FileSystem()
    // Opening anything other than a regular file may block.
    guard let status = try fileSystem.status(of: path, followingLink: true), status.isRegularFile
    else { return false }
    let signature = BinaryObjectTable.signature
    return try fileSystem.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
      .read(from: 0, count: signature.count) == signature
  }

  package func parse(_ file: [UInt8]) throws(FormatError) -> ParsedFile {
    try FileKind.require(.binaryPropertyList, of: file)
    let table = try BinaryObjectTable(file[...])
    _ = try BinaryObjectCheck(table)
    let root = try table.object(table.root)
    guard root.kind == .dictionary else {
      throw root.failure("the root object is not a dictionary")
    }
    let keys = try table.keys(of: root)
    var builder = BinaryObjectBuilder()
    var copies: [Int: Int] = [:]
    // All fragments share one array.
    var (fragments, ends): ([UInt8], [Int]) = ([], [0])
    var size = 0
    for index in keys.indices {
      _ = try builder.copy(try table.reference(keys.count + index, of: root), of: table, &copies)
      size += builder.size
      // Without shared values, the fragments are smaller than the file.
      guard size <= max(file.count, FormatLimits.fileSize) else {
        throw root.failure("shared values would be too large when written separately for each key")
      }
      builder.write(to: &fragments)
      ends.append(fragments.count)
      builder.removeAll()
      // Clearing the capacity of one large value for each key would take quadratic time.
      copies.removeAll(keepingCapacity: copies.capacity < 64)
    }
    return ParsedFile(
      entries: keys.enumerated().map { index, key in
        KeyValueEntry(key: key, text: fragments[ends[index]..<ends[index + 1]], valueOffset: 0)
      })
  }

  package func join(_ parts: [ArraySlice<KeyValueEntry>], _ surroundings: FileSurroundings)
    -> [UInt8]
  {
    let entries = Array(parts.joined())
    var builder = BinaryObjectBuilder()
    let root = builder.addContainer(.dictionary, entries.count)
    for (index, entry) in entries.enumerated() {
      builder.setReference(index, of: root, to: builder.add(entry.key.string))
    }
    for (index, entry) in entries.enumerated() {
      do throws(FormatError) {
        let table = try BinaryObjectTable(entry.value)
        var copies: [Int: Int] = [:]
        let value = try builder.copy(table.root, of: table, &copies)
        builder.setReference(entries.count + index, of: root, to: value)
      } catch {
        fatalError("An entry was not created by this format: \(error.reason).")
      }
    }
    var file: [UInt8] = []
    builder.write(to: &file)
    return file
  }

  package func entry(
    _ key: StoredKey, _ value: ArraySlice<UInt8>, in surroundings: FileSurroundings
  ) -> KeyValueEntry { KeyValueEntry(key: key, text: value, valueOffset: 0) }

  package func encode(_ tree: ValueTree) throws(FormatError) -> [UInt8] {
    var builder = BinaryObjectBuilder(escaping)
    defer { builder.wipe() }
    _ = try builder.add(tree, within: 1)
    var bytes: [UInt8] = []
    builder.write(to: &bytes)
    return bytes
  }

  package func decode(_ value: ArraySlice<UInt8>) throws(FormatError) -> ValueTree {
    let table = try BinaryObjectTable(value)
    // The root dictionary of the file takes one level.
    let check = try BinaryObjectCheck(table, depth: FormatLimits.depth - 1)
    // Without shared containers, each value takes at least one byte.
    let limit = escaping == .foundation ? value.count : Self.maximumValueCount
    guard check.valueCount <= limit else {
      throw FormatError(
        reason: "more than \(limit) values after expanding shared values", offset: 0)
    }
    var reader = BinaryTreeReader(table, escaping)
    return try reader.tree(table.root)
  }
}
