import FoundationEssentials
import Testing

@testable import KeyValueStorage

struct JSONRoundTripTests {
  private let format = JSONFormat()

  @Test func randomValuesComeBackExactly() throws {
    var random = JSONRandom()
    for number in 0..<Campaign.size(sample: 2_000, full: 100_000) {
      let tree = random.tree()
      let key = StoredKey(random.text())
      let file = format.join([format.entry(key, try format.encode(tree)[...])], FileSurroundings())
      let entries = try format.parse(file).entries
      let isExact =
        try entries.count == 1 && entries[0].key == key
        && Self.isExact(tree, format.decode(entries[0].value))
      try #require(isExact, "value \(number) of seed \(random.seed)")
    }
  }

  @Test func randomFilesAreReadAsTheyWereWritten() throws {
    var random = JSONRandom()
    for number in 0..<Campaign.size(sample: 50, full: 2_000) {
      let entries = try random.file(keys: random.number(0..<40))
      let file = format.join(entries, FileSurroundings())
      let parsed = try format.parse(file)
      try #require(
        parsed.entries.map(\.key) == entries.map(\.key)
          && parsed.entries.map(\.text) == entries.map(\.text)
          && parsed.entries.map(\.valueOffset) == entries.map(\.valueOffset),
        "file \(number) of seed \(random.seed)")
      try #require(format.join(parsed.entries, parsed.surroundings) == file)
    }
  }

  /// Whether a value was read as JSON has it that was written; by bytes, unlike `==` of strings.
  private static func isExact(_ written: ValueTree, _ read: ValueTree) -> Bool {
    switch (written, read) {
    case (.null, .null), (.bool, .bool), (.number(.text), .number(.text)): written == read
    case (.number(.integer(let integer)), .number(.text(let text))): String(integer) == text
    case (.number(.real(let real)), .number(.text(let text))): isExact(real, text)
    case (.number(.real(let real)), .string(let text)): isExact(real, text)
    case (.number(.float(let float)), .number(.text(let text))): isExact(float, text)
    case (.number(.float(let float)), .string(let text)): isExact(float, text)
    case (.date(let date), .number(.text(let text))):
      isExact(date.timeIntervalSinceReferenceDate, text)
    case (.data(let data), .string(let text)): Data(base64Encoded: text) == data
    case (.string(let written), .string(let read)): written.utf8.elementsEqual(read.utf8)
    case (.array(let written), .array(let read)):
      written.count == read.count && zip(written, read).allSatisfy(isExact)
    case (.dictionary(let written), .dictionary(let read)):
      written.count == read.count
        && written.allSatisfy { key, value in
          guard let index = read.index(forKey: key) else { return false }
          return read[index].key.utf8.elementsEqual(key.utf8) && isExact(value, read[index].value)
        }
    default: false
    }
  }

  private static func isExact<Real: BinaryFloatingPoint & LosslessStringConvertible>(
    _ real: Real, _ text: String
  ) -> Bool {
    if real.isNaN { return text == "NaN" }
    if real.isInfinite { return text == (real > 0 ? "Infinity" : "-Infinity") }
    guard let read = Real(text) else { return false }
    return read == real && read.sign == real.sign
  }
}
