import Testing

@testable import ValueFormats

struct TreeCodingShapesTests {
  enum Payload: Codable, Hashable {
    case none
    case one(Int)
    case named(x: Double, y: Double?)
    case deep(name: String??, [Int?])
    indirect case again(Payload)
  }

  enum Name: String, Codable, Hashable { case first, second = "2" }
  enum Number: Int8, Codable, Hashable { case low = -128, high = 127 }
  enum Key: String, Codable, CodingKeyRepresentable, Hashable { case some }

  struct Version: Codable, Hashable, CodingKeyRepresentable {
    var text: String
    init(_ text: String) { self.text = text }
    init?(codingKey: some CodingKey) { text = codingKey.stringValue }
    var codingKey: any CodingKey { TextKey(text) }
  }

  struct Empty: Codable, Hashable {}

  @Test func enumsComeBack() throws {
    let values: [any Codable & Hashable] = [
      Payload.none, Payload.one(3), Payload.named(x: 0.1, y: nil), Payload.named(x: 0.1, y: 2),
      Payload.deep(name: nil, [nil, 1]), Payload.deep(name: .some(nil), []),
      Payload.again(.again(.deep(name: "a", []))), Name.first, Name.second, Number.low, Number.high,
      Empty(),
    ]
    for value in values { try expectExactEverywhere(value) }
  }

  @Test func dictionariesOfAllKeysComeBack() throws {
    let values: [any Codable & Equatable] = [
      [Int.min: "a", 0: "b", .max: "c"], [UInt8(7): ["a": 1.5]], [Name.first: 1, .second: 2],
      [Key.some: 1], [Version("1.0"): "a", Version(""): "b"], [true: 1, false: 0],
      [[1, 2]: Payload.one(1)], [Payload.one(1): Payload.none],
      ["": 1, "a.b": 2, "a/b": 3, " ": 4, String(repeating: "k", count: 10_000): 5],
    ]
    for value in values { try expectExact(value) }
    #expect(try TreeEncoder().encode([Key.some: 1]) == .dictionary(["some": .number(.integer(1))]))
  }

  class Animal: Codable {
    var name = "Rex"
    var age: Int?
    init() {}
  }

  final class Dog: Animal {
    enum CodingKeys: String, CodingKey { case name, tricks }
    var tricks: [String]? = ["sit"]

    override init() { super.init() }

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      tricks = try container.decodeIfPresent([String].self, forKey: .tricks)
      try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try super.encode(to: container.superEncoder())
      try container.encodeIfPresent(tricks, forKey: .tricks)
    }
  }

  @Test func classesComeBackWithTheirSuperclasses() throws {
    let dog = Dog()
    dog.age = 3
    let tree = try TreeEncoder().encode([dog as Animal])
    #expect(
      tree
        == .array([
          .dictionary([
            "super": .dictionary(["name": .string("Rex"), "age": .number(.integer(3))]),
            "tricks": .array([.string("sit")]),
          ])
        ]))
    let dogs = try TreeDecoder().decode([Dog].self, from: tree)
    #expect(dogs.first?.name == "Rex" && dogs.first?.age == 3 && dogs.first?.tricks == ["sit"])
  }

  struct TextKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ text: String) { stringValue = text }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
