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
      let value = try format.coding.value(type, from: bytes[...], key: "key") { defaultTree }
      try #require(value == expected, comment)
      return true
    } catch let error as KeyValueStoreError {
      try #require(expected == nil, "\(comment): \(error)")
      return false
    }
  }

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// A structure with any number of members.
  private struct Numbers: Codable {
    let numbers: [Int]

    init(count: Int) { numbers = Array(0..<count) }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      func number(_ key: String) throws -> Int {
        try container.decode(Int.self, forKey: Key(stringValue: key))
      }
      let count = try number("count")
      // A binary search finds a missing member without decoding all others.
      var candidates = 0..<count
      while !candidates.isEmpty {
        let middle = candidates.lowerBound + candidates.count / 2
        candidates =
          container.contains(Key(stringValue: "\(middle)"))
          ? middle + 1..<candidates.upperBound : candidates.lowerBound..<middle
      }
      if candidates.lowerBound < count { _ = try number("\(candidates.lowerBound)") }
      numbers = try (0..<count).map { try number("\($0)") }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(numbers.count, forKey: Key(stringValue: "count"))
      for number in numbers { try container.encode(number, forKey: Key(stringValue: "\(number)")) }
    }
  }

  @Test func numberOfMissingMembersIsLimited() throws {
    let tree = ValueTree.dictionary(["count": .number(.integer(1001))])
    let defaultTree = try TreeEncoder().encode(Numbers(count: 1001))
    var callCount = 0
    func defaults() -> ValueTree? {
      callCount += 1
      return defaultTree
    }
    #expect(throws: ValueCodingError.self) {
      try TreeDecoder().decode(Numbers.self, from: tree, defaults: defaults)
    }
    let almostAll = ValueTree.dictionary([
      "count": .number(.integer(1001)), "1000": .number(.integer(-7)),
    ])
    let value = try TreeDecoder().decode(Numbers.self, from: almostAll, defaults: defaults)
    #expect(value.numbers.count == 1001 && value.numbers[1000] == -7 && value.numbers[999] == 999)
    // The default value is encoded once for each decoding.
    #expect(callCount == 2)
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
    let value = try TreeDecoder().decode(Outer.self, from: tree) {
      try? TreeEncoder().encode(Outer())
    }
    #expect(value == Outer(inner: Inner(number: 7, text: "x")))
  }

  @Test func errorOfATypeIsKept() throws {
    struct Refusing: Codable {
      var number = 7
      init() {}
      init(from decoder: any Decoder) throws {
        throw DecodingError.keyNotFound(
          Key(stringValue: "number"), .init(codingPath: decoder.codingPath, debugDescription: ""))
      }
    }
    for tree in [ValueTree.dictionary([:]), .dictionary(["number": .number(.integer(1))])] {
      let error = #expect(throws: ValueCodingError.self) {
        try TreeDecoder().decode(Refusing.self, from: tree) {
          try? TreeEncoder().encode(Refusing())
        }
      }
      #expect(error?.reason == "a key is missing")
    }
  }
}
