import FoundationEssentials
import Testing

@testable import ValueFormats

struct TreeCodingErrorTests {
  struct Line: Codable {
    var volume: Double
    var name: String?
    var level: Int8?
  }

  struct Song: Codable {
    var lines: [Line]
    var byName: [String: Line]?
    var theme: Theme?
    var created: Date?
    var cover: Data?
    var link: URL?
    var size: Range<Int>?
  }

  enum Theme: String, Codable { case dark }

  private static let text = ValueTree.string("secret")
  private static let number = ValueTree.number(.text("4711"))

  /// The rejected value is one of the two above.
  static let refusals: [(tree: ValueTree, reason: String)] = [
    (text, "expected a dictionary, found a string"),
    (.dictionary([:]), "the key lines is missing"),
    (song("lines", text), "expected an array, found a string, at lines"),
    (
      song("lines", .array([.dictionary(["volume": text])])),
      "expected a number, found a string, at lines[*].volume"
    ),
    (
      song("lines", .array([.dictionary(["volume": .null(depth: 0)])])),
      "expected a number, found null, at lines[*].volume"
    ),
    (song("lines", .array([.dictionary([:])])), "the key volume is missing, at lines[*]"),
    (
      song("byName", .dictionary(["secret": .dictionary(["volume": text])])),
      "expected a number, found a string, at byName.*.volume"
    ),
    (
      song("byName", .dictionary(["secret": .dictionary(["volume": number, "name": number])])),
      "expected a string, found a number, at byName.*.name"
    ),
    (
      song("byName", .dictionary(["secret": .dictionary(["volume": number, "level": number])])),
      "the number is out of range for Int8, at byName.*.level"
    ),
    (song("theme", text), "the stored value is not valid for this type, at theme"),
    (song("theme", number), "expected a string, found a number, at theme"),
    (song("created", text), "expected a date, found a string, at created"),
    (song("cover", text), "expected data, found a string, at cover"),
    (song("link", number), "expected a URL, found a number, at link"),
    (song("link", .string("")), "expected a URL, found a string, at link"),
    (song("size", .array([number])), "the array has too few elements, at size"),
    (
      song("size", .array([number, .number(.integer(-1))])),
      "the stored value is not valid for this type, at size"
    ),
    (
      song("byName", .dictionary(["secret": .dictionary(["secret": number])])),
      "the key volume is missing, at byName.*"
    ),
    (song("created", .bool(true)), "expected a date, found a Boolean, at created"),
    (song("created", .data(Data())), "expected a date, found data, at created"),
    (song("cover", .date(.now)), "expected data, found a date, at cover"),
    (song("cover", .dictionary([:])), "expected data, found a dictionary, at cover"),
    (song("theme", .array([])), "expected a string, found an array, at theme"),
  ]

  private static func song(_ key: String, _ tree: ValueTree) -> ValueTree {
    .dictionary(["lines": .array([])].merging([StoredKey(key): tree]) { _, new in new })
  }

  @Test(arguments: refusals) func errorContainsReasonAndPath(_ tree: ValueTree, _ reason: String) {
    let error = #expect(throws: ValueCodingError.self) {
      try TreeDecoder().decode(Song.self, from: tree)
    }
    #expect(error?.reason == reason)
    #expect(!"\(error as Any)".contains("secret") && !"\(error as Any)".contains("4711"))
  }

  struct OwnError: Error { var text = "secret" }

  struct Refusing: Codable {
    init() {}
    init(from decoder: any Decoder) throws { throw OwnError() }
    func encode(to encoder: any Encoder) throws { throw OwnError() }
  }

  struct StandardRefusing: Codable {
    init() {}
    init(from decoder: any Decoder) throws {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "secret"))
    }
    func encode(to encoder: any Encoder) throws {
      throw EncodingError.invalidValue(
        "secret",
        EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "secret"))
    }
  }

  @Test func errorsOfATypeAreNamed() {
    var error = #expect(throws: ValueCodingError.self) { try TreeEncoder().encode([Refusing()]) }
    #expect(error?.reason == "its Codable implementation threw an error of type OwnError")
    error = #expect(throws: ValueCodingError.self) {
      try TreeDecoder().decode([Refusing].self, from: .array([Self.text]))
    }
    #expect(error?.reason == "its Codable implementation threw an error of type OwnError")
    error = #expect(throws: ValueCodingError.self) {
      try TreeEncoder().encode(["secret": [StandardRefusing()]])
    }
    #expect(error?.reason == "a part of it cannot be encoded, at *[*]")
    error = #expect(throws: ValueCodingError.self) {
      try TreeDecoder().decode([StandardRefusing].self, from: .array([Self.text]))
    }
    #expect(error?.reason == "the stored value is not valid for this type, at [*]")
  }

  /// `Codable` code catches the errors of the standard library.
  @Test func typesCatchTheStandardErrors() throws {
    struct Lenient: Decodable {
      enum CodingKeys: CodingKey { case absent, text, null }
      var caught: [String] = []

      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        for key in [CodingKeys.absent, .text, .null] {
          do {
            _ = try container.decode(Int.self, forKey: key)
          } catch DecodingError.keyNotFound(let key, _) {
            caught.append("no \(key.stringValue)")
          } catch DecodingError.typeMismatch(_, let context) {
            caught.append("not \(context.codingPath.last?.stringValue ?? "")")
          } catch DecodingError.valueNotFound(_, let context) {
            caught.append("null \(context.codingPath.last?.stringValue ?? "")")
          }
        }
      }
    }
    let tree = ValueTree.dictionary(["text": Self.text, "null": .null(depth: 0)])
    #expect(
      try TreeDecoder().decode(Lenient.self, from: tree).caught == [
        "no absent", "not text", "null null",
      ])
  }
}
