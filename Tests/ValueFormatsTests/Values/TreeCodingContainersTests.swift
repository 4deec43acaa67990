import Testing

@testable import KeyValueStorage
@testable import ValueFormats

struct TreeCodingContainersTests {
  enum Key: CodingKey { case a, b, c }

  /// A value that encodes itself with a closure.
  struct Written: Encodable {
    let write: (any Encoder) throws -> Void
    init(_ write: @escaping (any Encoder) throws -> Void) { self.write = write }
    func encode(to encoder: any Encoder) throws { try write(encoder) }
  }

  private func tree(_ write: @escaping (any Encoder) throws -> Void) throws -> ValueTree {
    try TreeEncoder().encode(Written(write))
  }

  private func number(_ value: Int128) -> ValueTree { .number(.integer(value)) }

  @Test func nestedContainersAreWrittenInAnyOrder() throws {
    let tree = try tree { encoder in
      var container = encoder.container(keyedBy: Key.self)
      var list = container.nestedUnkeyedContainer(forKey: .a)
      var inner = container.nestedContainer(keyedBy: Key.self, forKey: .b)
      try container.encode(1, forKey: .c)
      var first = list.nestedContainer(keyedBy: Key.self)
      try list.encode(2)
      var last = list.nestedUnkeyedContainer()
      let above = list.superEncoder()
      try last.encode(3)
      try first.encode(4, forKey: .a)
      try inner.encode(5, forKey: .a)
      #expect(list.count == 4 && last.count == 1)
      #expect(last.codingPath.map(\.stringValue) == ["a", "2"])
      var single = above.singleValueContainer()
      try single.encode(6)
    }
    #expect(
      tree
        == .dictionary([
          "a": .array([.dictionary(["a": number(4)]), number(2), .array([number(3)]), number(6)]),
          "b": .dictionary(["a": number(5)]), "c": number(1),
        ]))
  }

  @Test func lastValueOfAKeyIsKept() throws {
    let tree = try tree { encoder in
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(1, forKey: .a)
      try container.encode("x", forKey: .a)
      var nested = container.nestedContainer(keyedBy: Key.self, forKey: .b)
      try nested.encode(1, forKey: .a)
      try container.encode(2, forKey: .b)
      try container.encode(2, forKey: .c)
      _ = container.nestedUnkeyedContainer(forKey: .c)
    }
    #expect(tree == .dictionary(["a": .string("x"), "b": number(2), "c": .array([])]))
  }

  @Test func repeatedContainerIsTheSame() throws {
    let tree = try tree { encoder in
      var first = encoder.container(keyedBy: Key.self)
      var second = encoder.container(keyedBy: Key.self)
      try first.encode(1, forKey: .a)
      try second.encode(2, forKey: .b)
      var inner = first.nestedContainer(keyedBy: Key.self, forKey: .c)
      var same = second.nestedContainer(keyedBy: Key.self, forKey: .c)
      try inner.encode(1, forKey: .a)
      try same.encode(2, forKey: .b)
    }
    let both: [StoredKey: ValueTree] = ["a": number(1), "b": number(2)]
    #expect(tree == .dictionary(both.merging(["c": .dictionary(both)]) { first, _ in first }))
    try read(tree) { decoder in
      let (first, second) = try (
        decoder.container(keyedBy: Key.self), decoder.container(keyedBy: Key.self)
      )
      #expect(try first.decode(Int.self, forKey: .a) == 1)
      #expect(try second.decode(Int.self, forKey: .b) == 2)
    }
  }

  @Test func caughtFailureLeavesNothing() throws {
    struct Failure: Error {}
    let failing = Written { encoder in
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(1, forKey: .a)
      throw Failure()
    }
    let tree = try tree { encoder in
      var container = encoder.singleValueContainer()
      #expect(throws: Failure.self) { try container.encode(failing) }
      try container.encode(2)
    }
    #expect(tree == number(2))
  }

  /// Reads from the decoder that a type's initializer receives.
  private func read(_ tree: ValueTree, _ body: (any Decoder) throws -> Void) throws {
    struct Reading: Decodable {
      let decoder: any Decoder
      init(from decoder: any Decoder) { self.decoder = decoder }
    }
    try body(try TreeDecoder().decode(Reading.self, from: tree).decoder)
  }

  /// The standard library's default methods for these types throw.
  @Test func containersTakeTheWidestIntegers() throws {
    let tree = try tree { encoder in
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(Int128.min, forKey: .a)
      try container.encodeIfPresent(UInt128(1), forKey: .b)
      var list = container.nestedUnkeyedContainer(forKey: .c)
      try list.encode(Int128.min)
      try list.encode(UInt128(1))
      var first = list.superEncoder().singleValueContainer()
      try first.encode(Int128.min)
      var second = list.superEncoder().singleValueContainer()
      try second.encode(UInt128(1))
    }
    let (least, one) = (number(.min), number(1))
    #expect(tree == .dictionary(["a": least, "b": one, "c": .array([least, one, least, one])]))
    try read(tree) { decoder in
      let container = try decoder.container(keyedBy: Key.self)
      #expect(try container.decode(Int128.self, forKey: .a) == .min)
      #expect(try container.decodeIfPresent(Int128.self, forKey: .a) == .min)
      #expect(try container.decode(UInt128.self, forKey: .b) == 1)
      #expect(try container.decodeIfPresent(UInt128.self, forKey: .b) == 1)
      var list = try container.nestedUnkeyedContainer(forKey: .c)
      #expect(try list.decode(Int128.self) == .min)
      #expect(try list.decodeIfPresent(UInt128.self) == 1)
      #expect(try list.superDecoder().singleValueContainer().decode(Int128.self) == .min)
      #expect(try list.superDecoder().singleValueContainer().decode(UInt128.self) == 1)
    }
  }

  @Test func keyedContainersFollowTheirProtocol() throws {
    let tree = ValueTree.dictionary([
      "a": .null(depth: 0), "b": .array([number(1), .dictionary([:])]), "other": number(7),
    ])
    try read(tree) { decoder in
      let container = try decoder.container(keyedBy: Key.self)
      #expect(Set(container.allKeys) == [.a, .b])
      #expect(container.contains(.a) && !container.contains(.c))
      #expect(try container.decodeNil(forKey: .a))
      #expect(try !container.decodeNil(forKey: .b))
      #expect(throws: DecodingError.self) { try container.decodeNil(forKey: .c) }
      #expect(try container.decodeIfPresent(Int.self, forKey: .a) == nil)
      #expect(try container.decodeIfPresent(Int.self, forKey: .c) == nil)
      #expect(try container.decodeIfPresent([Int].self, forKey: .c) == nil)
      #expect(throws: DecodingError.self) { try container.decodeIfPresent(Int.self, forKey: .b) }
      var list = try container.nestedUnkeyedContainer(forKey: .b)
      #expect(list.count == 2 && list.currentIndex == 0)
      #expect(throws: DecodingError.self) { try list.decode(String.self) }
      #expect(throws: DecodingError.self) { try list.nestedUnkeyedContainer() }
      #expect(try list.decode(Int.self) == 1)
      let inner = try list.nestedContainer(keyedBy: Key.self)
      #expect(inner.codingPath.map(\.stringValue) == ["b", "1"])
      #expect(list.isAtEnd)
      #expect(try list.decodeIfPresent(Int.self) == nil)
      #expect(throws: DecodingError.self) { try list.decode(Int.self) }
      #expect(throws: DecodingError.self) { try list.decodeNil() }
      #expect(try container.superDecoder().singleValueContainer().decodeNil())
      #expect(try container.superDecoder(forKey: .b).unkeyedContainer().count == 2)
    }
  }

  @Test func unkeyedContainersDistinguishNulls() throws {
    let tree = ValueTree.array([
      .null(depth: 0), .null(depth: 1), .null(depth: 0), number(3), number(4), .array([]),
    ])
    try read(tree) { decoder in
      var list = try decoder.unkeyedContainer()
      #expect(try list.decodeNil() && list.currentIndex == 1)
      #expect(try !list.decodeNil() && list.currentIndex == 1)
      let nested = try list.decodeIfPresent(Int?.self)
      #expect(nested == .some(nil) && list.currentIndex == 2)
      #expect(try list.decodeIfPresent(Int.self) == nil && list.currentIndex == 3)
      #expect(try list.decodeIfPresent(Int.self) == 3)
      #expect(try list.decodeIfPresent(Int??.self) == 4)
      let above = try list.superDecoder()
      #expect(try above.unkeyedContainer().isAtEnd && list.isAtEnd)
      #expect(above.codingPath.map(\.stringValue) == ["5"])
    }
  }

  /// Keys that are equal as strings but not as bytes: é as one scalar or two.
  @Test(arguments: KeyValueFormat.allCases)
  func equalSpellingsAreDistinctKeys(_ format: KeyValueFormat) throws {
    typealias TextKey = TreeCodingShapesTests.TextKey
    let written = try tree { encoder in
      var outer = encoder.container(keyedBy: Key.self)
      var container = outer.nestedContainer(keyedBy: TextKey.self, forKey: .a)
      try container.encode(1, forKey: TextKey("\u{e9}"))
      try container.encode(2, forKey: TextKey("e\u{301}"))
    }
    let stored = try format.coding.decode(try format.coding.encode(written)[...])
    try read(stored) { decoder in
      let container = try decoder.container(keyedBy: Key.self)
        .nestedContainer(keyedBy: TextKey.self, forKey: .a)
      #expect(
        container.allKeys.map { Array($0.stringValue.utf8) } == [[101, 204, 129], [195, 169]])
      #expect(try container.decode(Int.self, forKey: TextKey("\u{e9}")) == 1)
      #expect(try container.decode(Int.self, forKey: TextKey("e\u{301}")) == 2)
    }
    // A Swift dictionary retains one of them: always the last.
    let values = try TreeDecoder().decode([String: [String: Int]].self, from: stored)
    #expect(values == ["a": ["\u{e9}": 1]])
  }

  private struct Coffee: Codable, Equatable { var café: Int? }

  @Test func propertyIsReadInAnySpelling() throws {
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
