import Testing

@testable import ValueFormats

struct TreeCodingOptionalsTests {
  private func null(_ depth: Int) -> ValueTree { .null(depth: depth) }

  @Test func eachLayerOfAnOptionalIsKept() throws {
    let values: [Int???] = [nil, .some(nil), .some(.some(nil)), 5]
    let trees = [null(0), null(1), null(2), .number(.integer(5))]
    for (value, tree) in zip(values, trees) {
      #expect(try TreeEncoder().encode(value) == tree)
      try expectExact(value)
      try expectExact(["key": value])
      try expectExact(Maybe.just(value))
      try expectExact([Optional(value), nil])
    }
    #expect(try TreeEncoder().encode(values) == .array(trees))
    try expectExact(values)
  }

  struct Fields: Codable, Equatable {
    var one: Int?
    var two: Int??
    var three: String???
    var scalar: Bool??
    var record: Inner??
    var maybe: Maybe<Int?>?
    var list: [Int??]??

    struct Inner: Codable, Equatable {
      var value: UInt128??
    }
  }

  @Test func nestedOptionalsInPropertiesAreKept() throws {
    let absent = Fields()
    #expect(try TreeEncoder().encode(absent) == .dictionary([:]))
    try expectExact(absent)
    let fields = Fields(
      one: 1, two: .some(nil), three: .some(.some(nil)), scalar: .some(nil), record: .some(nil),
      maybe: .just(nil), list: .some(nil))
    #expect(
      try TreeEncoder().encode(fields)
        == .dictionary([
          "one": .number(.integer(1)), "two": null(1), "three": null(2), "scalar": null(1),
          "record": null(1), "maybe": null(2), "list": null(1),
        ]))
    try expectExact(fields)
    try expectExact(Fields(three: .some(nil), maybe: .nothing, list: [nil, .some(nil), 1]))
    try expectExact(
      Fields(two: 2, three: "x", scalar: true, record: Fields.Inner(value: .some(nil))))
    try expectExact([Fields(), nil, fields])
  }

  @Test func shallowNullIsNil() throws {
    let tree = ValueTree.dictionary([
      "one": null(0), "two": null(0), "three": null(0), "scalar": null(0), "record": null(0),
      "maybe": null(0), "list": null(0),
    ])
    #expect(try TreeDecoder().decode(Fields.self, from: tree) == Fields())
    let nested = try TreeDecoder().decode(Int??.self, from: null(0))
    #expect(nested == nil)
    #expect(try TreeDecoder().decode(Maybe<Int?>.self, from: null(0)) == .nothing)
  }

  /// Extra layers belong to a value of another type.
  @Test func tooManyLayersAreRefused() throws {
    #expect(throws: ValueCodingError.self) { try TreeDecoder().decode(Int?.self, from: null(1)) }
    #expect(throws: ValueCodingError.self) { try TreeDecoder().decode(Int??.self, from: null(2)) }
    #expect(throws: ValueCodingError.self) { try TreeDecoder().decode(Int.self, from: null(0)) }
    #expect(throws: ValueCodingError.self) {
      try TreeDecoder().decode(Fields.self, from: .dictionary(["one": null(1)]))
    }
    #expect(throws: ValueCodingError.self) {
      try TreeDecoder().decode(Fields.self, from: .dictionary(["record": null(2)]))
    }
  }

  /// Explicit calls to the containers may be mixed.
  struct Explicit: Codable, Equatable {
    enum CodingKeys: CodingKey { case whole, part }
    var whole: Int??
    var part: Int??

    init(whole: Int??, part: Int??) {
      self.whole = whole
      self.part = part
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      whole = try container.decodeIfPresent(Int?.self, forKey: .whole)
      part = try container.decode(Int??.self, forKey: .part)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(whole, forKey: .whole)
      try container.encode(part, forKey: .part)
    }
  }

  @Test func explicitCodingMatchesSynthesizedCoding() throws {
    let values: [Int??] = [nil, .some(nil), 5]
    for value in values { try expectExact(Explicit(whole: value, part: value)) }
  }
}
