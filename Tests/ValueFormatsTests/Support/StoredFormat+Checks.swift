import Testing

@testable import ValueFormats

// The checks of what is read back from a file.
extension StoredFormat {
  /// Returns whether a file is accepted.
  ///
  /// An accepted file must be restored when it is written, in a text format to the byte, and so must
  /// its decodable values.
  @discardableResult
  func isRead(_ file: [UInt8], _ comment: @autoclosure () -> String) throws -> Bool {
    switch parsed(file) {
    case .success(let content):
      try requireSameAfterJoining(content, comment())
      if self is JSONFormat || self is XMLPropertyListFormat && !content.entries.isEmpty {
        let joined = join([content.entries[...]], content.surroundings)
        try #require(joined == file, "\(comment())")
      }
      for entry in content.entries { try requireSameAfterEncoding(entry.value, comment()) }
      return true
    case .failure(let error):
      try #require(0...file.count ~= error.offset, "\(comment())")
      return false
    }
  }

  func requireSameAfterJoining(
    _ content: ParsedFile, _ comment: @autoclosure () -> String = ""
  ) throws {
    let joined = join([content.entries[...]], content.surroundings)
    let again = try parse(joined)
    try #require(
      again.entries.map(\.key) == content.entries.map(\.key)
        && again.entries.map(\.text) == content.entries.map(\.text)
        && again.entries.map(\.valueOffset) == content.entries.map(\.valueOffset),
      "\(comment())")
    try #require(
      again.surroundings == content.surroundings
        && join(again.entries.map { [$0] }, again.surroundings) == joined, "\(comment())")
  }

  /// Requires that a decodable value is restored after encoding.
  func requireSameAfterEncoding(
    _ value: ArraySlice<UInt8>, _ comment: @autoclosure () -> String
  ) throws {
    switch decoded(value) {
    case .success(let tree):
      let encoded = try encode(tree)
      let again = try decode(encoded[...])
      // XML has several spellings of a value; only one is written.
      let isSame =
        self is XMLPropertyListFormat ? try encode(again) == encoded : exact(again) == exact(tree)
      try #require(isSame, "\(comment())")
    case .failure(let error):
      try #require(0...value.count ~= error.offset, "\(comment())")
    }
  }

  /// Returns an entry of a new file.
  func entry(_ key: StoredKey, _ value: ArraySlice<UInt8>) -> KeyValueEntry {
    entry(key, value, in: FileSurroundings())
  }

  func parsed(_ file: [UInt8]) -> Result<ParsedFile, FormatError> {
    do { return .success(try parse(file)) } catch { return .failure(error) }
  }

  func decoded(_ value: ArraySlice<UInt8>) -> Result<ValueTree, FormatError> {
    do { return .success(try decode(value)) } catch { return .failure(error) }
  }

  func entries(_ trees: [(key: StoredKey, tree: ValueTree)]) throws -> [KeyValueEntry] {
    try trees.map { entry($0.key, try encode($0.tree)[...]) }
  }
}
