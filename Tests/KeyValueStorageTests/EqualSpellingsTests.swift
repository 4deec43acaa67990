import FoundationEssentials
import TestSupport
import Testing

@testable import KeyValueStorage
@testable import ValueFormats

/// Keys within values that are equal as strings but not as bytes, such as é as one scalar or two.
struct EqualSpellingsTests {
  private static let composed = "\u{e9}"
  private static let decomposed = "e\u{301}"
  private static let formats: [any StoredFormat] = [
    JSONFormat(), XMLPropertyListFormat(), BinaryPropertyListFormat(),
  ]

  private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// A value that preserves both spellings in a nested object.
  private struct Both: Codable, Equatable {
    var composed: Int
    var decomposed: Int

    init(composed: Int, decomposed: Int) {
      (self.composed, self.decomposed) = (composed, decomposed)
    }

    init(from decoder: any Decoder) throws {
      let outer = try decoder.container(keyedBy: AnyKey.self)
      let container = try outer.nestedContainer(
        keyedBy: AnyKey.self, forKey: AnyKey(stringValue: "inner"))
      #expect(
        container.allKeys.map { Array($0.stringValue.utf8) } == [[101, 204, 129], [195, 169]])
      composed = try container.decode(Int.self, forKey: AnyKey(stringValue: "\u{e9}"))
      decomposed = try container.decode(Int.self, forKey: AnyKey(stringValue: "e\u{301}"))
    }

    func encode(to encoder: any Encoder) throws {
      var outer = encoder.container(keyedBy: AnyKey.self)
      var container = outer.nestedContainer(
        keyedBy: AnyKey.self, forKey: AnyKey(stringValue: "inner"))
      try container.encode(composed, forKey: AnyKey(stringValue: "\u{e9}"))
      try container.encode(decomposed, forKey: AnyKey(stringValue: "e\u{301}"))
    }
  }

  @Test func bothSpellingsAreKeptInEachFormat() throws {
    let both = Both(composed: 1, decomposed: 2)
    for format in Self.formats {
      let bytes = try format.bytes(of: both, key: "key")
      #expect(try format.value(Both.self, from: bytes[...]) == both)
      // A Swift dictionary retains one of them: always the last.
      let values = try format.value([String: [String: Int]].self, from: bytes[...])
      #expect(values == ["inner": [Self.composed: 1]])
    }
  }

  @Test func fileOfAnotherProgramIsReadWithBothSpellings() throws {
    let directory = try TemporaryDirectory()
    let file = directory.url.appending(path: "settings.json")
    let text = #"{"a": {"inner": {"\#(Self.composed)": 1, "\#(Self.decomposed)": 2}}, "b": 1}"#
    try Data(text.utf8).write(to: file)
    let store = KeyValueStore(json: file)
    #expect(try store.value(of: "a") == Both(composed: 1, decomposed: 2))
    try store.set(2, for: "b")
    #expect(try KeyValueStore(json: file).value(of: "a") == Both(composed: 1, decomposed: 2))
  }

  private struct Coffee: Codable, Equatable {
    var café: Int?
  }

  @Test func propertyIsReadInTheSpellingThatTheValueHas() throws {
    func coffee(_ entries: [(String, ValueTree)]) throws -> Coffee {
      let keys = entries.map { (StoredKey($0), $1) }
      return try TreeDecoder().decode(
        Coffee.self, from: .dictionary(Dictionary(uniqueKeysWithValues: keys)))
    }
    let one = ValueTree.number(.integer(1)), two = ValueTree.number(.integer(2))
    #expect(try coffee([("cafe\u{301}", one)]) == Coffee(café: 1))
    #expect(try coffee([("caf\u{e9}", one)]) == Coffee(café: 1))
    #expect(try coffee([("cafe", one)]) == Coffee(café: nil))
    // The type's own spelling is preferred, regardless of the source file's.
    let own = Array("café".utf8).count == 5
    #expect(try coffee([("cafe\u{301}", one), ("caf\u{e9}", two)]) == Coffee(café: own ? 2 : 1))
  }
}
