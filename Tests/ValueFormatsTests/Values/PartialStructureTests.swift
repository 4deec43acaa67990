import TestSupport
import Testing

@testable import KeyValueStorage
@testable import ValueFormats

/// Structures whose members are missing in the file and taken from a default value.
struct PartialStructureTests {
  @Test(arguments: KeyValueFormat.allCases)
  func missingMembersAreThoseOfTheDefault(_ format: KeyValueFormat) throws {
    var random = Campaign.generator()
    var (decoded, refused) = (0, 0)
    for number in 0..<Campaign.size(sample: 60, full: 3_000) {
      let type = random.type(depth: 3)
      for _ in 0..<20 {
        if try isDecoded(type, format, &random, "type \(number)") {
          decoded += 1
        } else {
          refused += 1
        }
      }
    }
    #expect(decoded > 0 && refused > 0)
  }

  private func isDecoded<Member: PartialMember>(
    _ type: Member.Type, _ format: KeyValueFormat, _ random: inout SeededGenerator,
    _ comment: Comment
  ) throws -> Bool {
    let (stored, defaultValue) = (Member(random: &random), Member(random: &random))
    let (tree, expected) = try stored.partial(beside: defaultValue, &random)
    let defaultTree = try TreeEncoder().encode(defaultValue)
    do {
      let bytes = try format.coding.encode(tree)
      let value = try format.coding.decoded(
        type, from: bytes[...], key: "key", defaults: defaultTree)
      try #require(value == expected, comment)
      return true
    } catch let error as DecodingFailure {
      try #require(expected == nil, "\(comment): \(error.reason)")
      return false
    }
  }

  private typealias Key = TreeCodingShapesTests.TextKey

  /// A structure with 1,001 members.
  private struct Numbers: Codable {
    let numbers: [Int]

    init() { numbers = Array(0..<1001) }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      func number(_ index: Int) throws -> Int {
        try container.decode(Int.self, forKey: Key("\(index)"))
      }
      // Finds a missing member without decoding all others at each repetition.
      let count = container.allKeys.count
      if count < 1001 { _ = try number(count) }
      numbers = try (0..<1001).map(number)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      for number in numbers { try container.encode(number, forKey: Key("\(number)")) }
    }
  }

  @Test func numberOfMissingMembersIsLimited() throws {
    let defaultTree = try TreeEncoder().encode(Numbers())
    #expect(throws: InvalidValue.self) {
      try TreeDecoder().decodeSetting(
        Numbers.self, from: .dictionary([:]), defaults: defaultTree)
    }
    let last = ValueTree.dictionary(["1000": .number(.integer(-7))])
    let value = try TreeDecoder().decodeSetting(Numbers.self, from: last, defaults: defaultTree)
    #expect(value.numbers == Array(0..<1000) + [-7])
  }

  private struct Outer: Codable, Equatable {
    enum CodingKeys: String, CodingKey { case inner = "\u{e9}" }
    var inner = Inner()
  }

  private struct Inner: Codable, Equatable {
    var number = 7
    var text: String? = "default"
  }

  @Test func memberIsFoundUnderAnEquivalentKey() throws {
    let tree = ValueTree.dictionary(["e\u{301}": .dictionary(["text": .string("x")])])
    let value = try TreeDecoder().decodeSetting(
      Outer.self, from: tree, defaults: TreeEncoder().encode(Outer()))
    #expect(value == Outer(inner: Inner(number: 7, text: "x")))
  }

  @Test func errorOfATypeIsKept() throws {
    struct Refusing: Codable {
      var number = 7
      init() {}
      init(from decoder: any Decoder) throws {
        throw DecodingError.keyNotFound(
          Key("number"), .init(codingPath: decoder.codingPath, debugDescription: ""))
      }
    }
    for tree in [ValueTree.dictionary([:]), .dictionary(["number": .number(.integer(1))])] {
      let error = #expect(throws: InvalidValue.self) {
        try TreeDecoder().decodeSetting(
          Refusing.self, from: tree, defaults: TreeEncoder().encode(Refusing()))
      }
      #expect(error?.reason == "the key number is missing" && error?.path == [])
    }
  }
}
