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

  /// The members of the structure except the first ones, with negative numbers.
  private static func numbers(without missing: Int) -> [StoredKey: ValueTree] {
    Dictionary(
      uniqueKeysWithValues: (missing..<1001).map {
        (StoredKey("\($0)"), .number(.integer(Int128(-$0))))
      })
  }

  /// The numbers of the structure with the first ones of its default value.
  private static func expected(without missing: Int) -> [Int] {
    (0..<1001).map { $0 < missing ? $0 : -$0 }
  }

  @Test(arguments: [(0, 1000), (1 << 20, 1000), (2 << 20, 512), (64 << 20, 16), (Int.max, 16)])
  func numberOfMissingMembersIsLimited(size: Int, limit: Int) throws {
    let defaultTree = try TreeEncoder().encode(Numbers())
    func numbers(without missing: Int) throws -> [Int] {
      try TreeDecoder().decodeSetting(
        Numbers.self, from: .dictionary(Self.numbers(without: missing)), size: size,
        defaults: defaultTree
      ).numbers
    }
    #expect(try numbers(without: limit) == Self.expected(without: limit))
    let error = #expect(throws: InvalidValue.self) { try numbers(without: limit + 1) }
    #expect(error?.reason == "more than \(limit) members are missing")
    #expect(error?.path == [] && error?.found == nil)
  }

  @Test(arguments: KeyValueFormat.allCases)
  func limitIsThatOfTheEncodedValue(_ format: KeyValueFormat) throws {
    let defaultTree = try TreeEncoder().encode(Numbers())
    func bytes(without missing: Int, padding count: Int) throws -> [UInt8] {
      let padding = ValueTree.string(String(repeating: "x", count: count))
      let members = Self.numbers(without: missing).merging(["padding": padding]) { old, _ in old }
      return try format.coding.encode(.dictionary(members))
    }
    func numbers(without missing: Int) throws -> [Int] {
      let otherCount = try bytes(without: missing, padding: 0).count
      // The size is at most 4 MiB; the offsets in a large binary property list take more bytes.
      let bytes = try bytes(without: missing, padding: (4 << 20) - otherCount - 8192)
      try #require((1 << 30) / bytes.count == 256)
      return try format.coding.decoded(
        Numbers.self, from: bytes[...], key: "key", defaults: defaultTree
      ).numbers
    }
    #expect(try numbers(without: 256) == Self.expected(without: 256))
    let failure = try #require(throws: DecodingFailure.self) { try numbers(without: 257) }
    let reason = "more than 256 members are missing"
    let error = UndecodableValue(key: "key", type: "Numbers", reason: reason)
    #expect(failure.error() == .undecodable(error))
    #expect(error.description == "key: \(reason) (type Numbers)")
  }

  /// A value at many places of a binary property list takes the memory of one.
  @Test func sharedValuesLowerTheLimit() throws {
    var shared = ValueTree.bool(true)
    for _ in 0..<20 { shared = .array([shared, shared]) }
    let defaultTree = try TreeEncoder().encode(Numbers())
    let members = Self.numbers(without: 1000).merging(["shared": shared]) { old, _ in old }
    let error = #expect(throws: InvalidValue.self) {
      try TreeDecoder().decodeSetting(
        Numbers.self, from: .dictionary(members), size: 100, defaults: defaultTree)
    }
    // 2²¹ values take at least 4 MiB if each is written at its place.
    #expect(error?.reason == "more than 255 members are missing")
  }

  private struct Outer: Codable, Equatable {
    enum CodingKeys: String, CodingKey { case inner = "\u{e9}" }
    var inner: Inner
    /// The number of spellings of the key.
    var keyCount = 1

    init(inner: Inner = Inner()) { self.inner = inner }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      inner = try container.decode(Inner.self, forKey: .inner)
      keyCount = container.allKeys.count
    }
  }

  private struct Inner: Codable, Equatable {
    var number = 7
    var text: String? = "default"
  }

  @Test func memberIsFoundUnderAnEquivalentKey() throws {
    let tree = ValueTree.dictionary(["e\u{301}": .dictionary(["text": .string("x")])])
    let value = try TreeDecoder().decodeSetting(
      Outer.self, from: tree, size: 0, defaults: TreeEncoder().encode(Outer()))
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
          Refusing.self, from: tree, size: 0, defaults: TreeEncoder().encode(Refusing()))
      }
      #expect(error?.reason == "the key number is missing" && error?.path == [])
    }
  }
}
