/// A binary property list, version 00.
///
/// A fragment is a property list of its own, whose top is the value.
struct BinaryPropertyListFormat: StoredFormat {
  /// How many values one may be decoded to: a hundred objects can share one another so often that
  /// no memory would suffice for what they stand for.
  private static let decodedValues = 16_000_000

  func parse(_ file: [UInt8]) throws(FormatError) -> ParsedFile {
    try FileKind.require(.binaryPropertyList, of: file)
    let table = try BinaryObjectTable(file[...])
    try table.check(depth: FormatLimits.depth)
    let top = try table.object(table.top)
    guard top.kind == .dictionary else {
      let offset = top.header.lowerBound
      throw FormatError(reason: "the top is not a dictionary", offset: offset)
    }
    let keys = try self.keys(of: top, in: table)
    let (fragments, ends) = try values(of: top, in: table, file.count)
    let starts = [0] + ends.dropLast()
    let entries = zip(keys, zip(starts, ends)).map { key, range in
      KeyValueEntry(key: key, text: fragments[range.0..<range.1], valueOffset: 0)
    }
    return ParsedFile(entries: entries, surroundings: FileSurroundings())
  }

  private func keys(
    of top: BinaryObject, in table: BinaryObjectTable
  ) throws(FormatError) -> [StoredKey] {
    var keys: [StoredKey] = []
    var seen: Set<StoredKey> = []
    for number in 0..<table.referenceCount(top) / 2 {
      let object = try table.object(try table.reference(number, of: top))
      guard let key = table.string(object).map(StoredKey.init) else {
        let reason = "a key is not a string of valid Unicode"
        throw FormatError(reason: reason, offset: object.header.lowerBound)
      }
      guard seen.insert(key).inserted else {
        let offset = object.header.lowerBound
        throw FormatError(reason: "this key occurs a second time", offset: offset)
      }
      keys.append(key)
    }
    return keys
  }

  /// The fragments of all values, one after the other, and where each ends.
  private func values(
    of top: BinaryObject, in table: BinaryObjectTable, _ fileSize: Int
  ) throws(FormatError) -> (fragments: [UInt8], ends: [Int]) {
    let count = table.referenceCount(top) / 2
    var copier = BinaryObjectCopier(table)
    var builder = BinaryObjectBuilder()
    var (fragments, ends): ([UInt8], [Int]) = ([], [])
    var size = 0
    for number in count..<2 * count {
      _ = try copier.copy(try table.reference(number, of: top), to: &builder)
      size += builder.size
      // Without sharing it is less than the file.
      guard size <= max(fileSize, FormatLimits.fileSize) else {
        let reason = "keys share values that are too large to be written for each of them"
        throw FormatError(reason: reason, offset: top.header.lowerBound)
      }
      builder.write(to: &fragments)
      ends.append(fragments.count)
      builder.removeAll()
      copier.forgetCopies()
    }
    return (fragments, ends)
  }

  func join(_ entries: [KeyValueEntry], _ surroundings: FileSurroundings) -> [UInt8] {
    var builder = BinaryObjectBuilder()
    let count = entries.count
    let top = builder.add(
      BinaryObject.header(.dictionary, count: count), references: 2 * count)
    for (number, entry) in entries.enumerated() {
      builder.setReference(number, of: top, to: builder.add(entry.key.string))
    }
    for (number, entry) in entries.enumerated() {
      do {
        let table = try BinaryObjectTable(entry.value)
        var copier = BinaryObjectCopier(table)
        let value = try copier.copy(table.top, to: &builder)
        builder.setReference(count + number, of: top, to: value)
      } catch {
        fatalError("An entry was neither parsed nor encoded by this format: \(error.reason).")
      }
    }
    var file: [UInt8] = []
    builder.write(to: &file)
    return file
  }

  func entry(_ key: StoredKey, _ value: EncodedValue) -> KeyValueEntry {
    KeyValueEntry(key: key, text: value, valueOffset: 0)
  }

  func encode(_ tree: ValueTree) throws(FormatError) -> [UInt8] {
    var writer = BinaryTreeWriter()
    _ = try writer.add(tree, within: 1)
    var bytes: [UInt8] = []
    writer.builder.write(to: &bytes)
    return bytes
  }

  func decode(_ value: EncodedValue) throws(FormatError) -> ValueTree {
    let table = try BinaryObjectTable(value)
    // The file's own dictionary is around it.
    let count = try table.check(depth: FormatLimits.depth - 1)
    guard count <= Self.decodedValues else {
      let reason = "values that are shared would become more than \(Self.decodedValues)"
      throw FormatError(reason: reason, offset: 0)
    }
    var reader = BinaryTreeReader(table)
    return try reader.tree(table.top)
  }
}
