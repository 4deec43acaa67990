/// A binary property list, version 00.
///
/// A fragment is a separate property list with the value at its top.
package struct BinaryPropertyListFormat: StoredFormat {
  private let textForm: TextForm

  package init(_ textForm: TextForm = .escaped) {
    self.textForm = textForm
  }

  /// The greatest number of decoded values: a hundred objects can share each other so often that
  /// they expand beyond any memory.
  private static let decodedValues = 16_000_000

  package func parse(_ file: [UInt8]) throws(FormatError) -> ParsedFile {
    try FileKind.require(.binaryPropertyList, of: file)
    let table = try BinaryObjectTable(file[...])
    _ = try BinaryObjectCheck(table)
    let top = try table.object(table.top)
    guard top.kind == .dictionary else { throw top.failure("the top is not a dictionary") }
    let keys = try self.keys(of: top, in: table)
    var copier = BinaryObjectCopier(table)
    var builder = BinaryObjectBuilder()
    // All fragments are in one array.
    var (fragments, ends): ([UInt8], [Int]) = ([], [0])
    var size = 0
    for number in keys.indices {
      _ = try copier.copy(try table.reference(keys.count + number, of: top), to: &builder)
      size += builder.size
      // Without sharing, the size is less than the file's.
      guard size <= max(file.count, FormatLimits.fileSize) else {
        throw top.failure("keys share values that are too large to be written for each of them")
      }
      builder.write(to: &fragments)
      ends.append(fragments.count)
      builder.removeAll()
      copier.forgetCopies()
    }
    return ParsedFile(
      entries: keys.enumerated().map { number, key in
        entry(key, fragments[ends[number]..<ends[number + 1]])
      })
  }

  private func keys(
    of top: BinaryObject, in table: BinaryObjectTable
  ) throws(FormatError) -> [StoredKey] {
    var keys: [StoredKey] = []
    var seen: Set<StoredKey> = []
    for number in 0..<table.referenceCount(top) / 2 {
      let object = try table.object(try table.reference(number, of: top))
      guard let key = table.string(object).map(StoredKey.init) else {
        throw object.failure("a key is not a string of valid Unicode")
      }
      guard seen.insert(key).inserted else {
        throw object.failure("this key occurs a second time")
      }
      keys.append(key)
    }
    return keys
  }

  package func join(_ entries: [KeyValueEntry], _ surroundings: FileSurroundings) -> [UInt8] {
    var builder = BinaryObjectBuilder()
    let top = builder.addContainer(.dictionary, entries.count)
    for (number, entry) in entries.enumerated() {
      builder.setReference(number, of: top, to: builder.add(entry.key.string))
    }
    for (number, entry) in entries.enumerated() {
      do throws(FormatError) {
        let table = try BinaryObjectTable(entry.value)
        var copier = BinaryObjectCopier(table)
        let value = try copier.copy(table.top, to: &builder)
        builder.setReference(entries.count + number, of: top, to: value)
      } catch {
        fatalError("An entry was neither parsed nor encoded by this format: \(error.reason).")
      }
    }
    var file: [UInt8] = []
    builder.write(to: &file)
    return file
  }

  package func entry(_ key: StoredKey, _ value: ArraySlice<UInt8>) -> KeyValueEntry {
    KeyValueEntry(key: key, text: value, valueOffset: 0)
  }

  package func encode(_ tree: ValueTree) throws(FormatError) -> [UInt8] {
    var builder = BinaryObjectBuilder()
    _ = try builder.add(tree, within: 1)
    var bytes: [UInt8] = []
    builder.write(to: &bytes)
    return bytes
  }

  package func decode(_ value: ArraySlice<UInt8>) throws(FormatError) -> ValueTree {
    let table = try BinaryObjectTable(value)
    // The file's own dictionary takes one level.
    let check = try BinaryObjectCheck(table, depth: FormatLimits.depth - 1)
    guard check.valueCount <= Self.decodedValues else {
      let reason = "values that are shared would become more than \(Self.decodedValues)"
      throw FormatError(reason: reason, offset: 0)
    }
    var reader = BinaryTreeReader(table, textForm)
    return try reader.tree(table.top)
  }
}
