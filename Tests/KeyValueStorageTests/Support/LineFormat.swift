@testable import KeyValueStorage
@testable import ValueFormats

/// The simplest format with all features that a file backend relies on: lines of `key=value`, below
/// lines that begin with `#`.
struct LineFormat: StoredFormat {
  func parse(_ file: [UInt8]) throws(FormatError) -> ParsedFile {
    var parsed = ParsedFile(entries: [], surroundings: FileSurroundings())
    var keys: Set<StoredKey> = []
    for line in file.split(separator: 10) {
      if parsed.entries.isEmpty, line.first == UInt8(ascii: "#") {
        parsed.surroundings.header += line + [10]
        continue
      }
      guard let sign = line.firstIndex(of: UInt8(ascii: "=")) else {
        throw FormatError(reason: "a line has no equals sign", offset: line.startIndex)
      }
      let key = StoredKey(String(decoding: line[..<sign], as: UTF8.self))
      guard keys.insert(key).inserted else {
        throw FormatError(reason: "duplicate key", offset: line.startIndex)
      }
      parsed.entries.append(
        KeyValueEntry(
          key: key, text: line, valueOffset: sign + 1 - line.startIndex,
          position: parsed.entries.count))
    }
    return parsed
  }

  func join(_ parts: [ArraySlice<KeyValueEntry>], _ surroundings: FileSurroundings) -> [UInt8] {
    parts.placesInFile.reduce(into: surroundings.header) {
      $0 += parts[$1.part][$1.index].text + [10]
    }
  }

  func entry(
    _ key: StoredKey, _ value: EncodedValue, in surroundings: FileSurroundings
  ) -> KeyValueEntry {
    let text = Array(key.string.utf8) + [UInt8(ascii: "=")]
    return KeyValueEntry(key: key, text: ArraySlice(text + value), valueOffset: text.count)
  }

  func encode(_ tree: ValueTree) throws(FormatError) -> [UInt8] {
    guard case .string(let text) = tree else {
      throw FormatError(reason: "only text can be encoded", offset: 0)
    }
    return Array(text.utf8)
  }

  func decode(_ value: EncodedValue) throws(FormatError) -> ValueTree {
    .string(String(decoding: value, as: UTF8.self))
  }
}
