import FoundationEssentials
import Testing

@testable import KeyValueStorage
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

  /// Each refused value is in JSON or XML, and is `secret` or 4711.
  @Test(arguments: [KeyValueFormat.json, .xml])
  func errorContainsReasonAndPath(_ format: KeyValueFormat) throws {
    for refusal in try Refusal.all("song", in: "\(format)-refusals") {
      let tree = try format.coding.decode(ArraySlice(refusal.text.utf8))
      let error = #expect(throws: ValueCodingError.self, "\(refusal.text)") {
        try TreeDecoder().decode(Song.self, from: tree)
      }
      #expect(error?.reason == refusal.reason)
      #expect(!"\(error as Any)".contains("secret") && !"\(error as Any)".contains("4711"))
    }
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

  private func reason(_ work: () throws -> Void) -> String? {
    #expect(throws: ValueCodingError.self, performing: work)?.reason
  }

  @Test func errorsOfATypeAreNamed() {
    let own = "its Codable implementation threw an error of type OwnError"
    let texts = ValueTree.array([Self.text])
    #expect(reason { _ = try TreeEncoder().encode([Refusing()]) } == own)
    #expect(reason { _ = try TreeDecoder().decode([Refusing].self, from: texts) } == own)
    let encoding = reason { _ = try TreeEncoder().encode(["secret": [StandardRefusing()]]) }
    #expect(encoding == "a part of it cannot be encoded, at *[*]")
    let decoding = reason { _ = try TreeDecoder().decode([StandardRefusing].self, from: texts) }
    #expect(decoding == "the stored value is not valid for this type, at [*]")
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
