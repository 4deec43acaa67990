import FoundationEssentials

@testable import ValueFormats

/// A `Codable` type, of which a test makes many: ``RandomStructure`` decodes itself as this type.
indirect enum RandomType: Sendable {
  case boolean, integer, string, date, duration
  case structure([Member])
  case array(RandomType)
  case dictionary(RandomType)

  struct Member: Sendable {
    let name: String
    let type: RandomType
    let isOptional: Bool
  }

  /// A structure whose members are nested at most `depth` levels deep.
  static func structure(depth: Int = 4, using random: inout SplitMix64) -> RandomType {
    let names = ["host", "port", "a", "", "$null", "é", "日本"].shuffled(using: &random)
    return .structure(
      names.prefix(random.number(0..<6)).map { name in
        let type = any(depth: depth - 1, using: &random)
        return Member(name: name, type: type, isOptional: random.once(in: 3))
      })
  }

  private static func any(depth: Int, using random: inout SplitMix64) -> RandomType {
    switch random.number(0..<(depth > 0 ? 12 : 5)) {
    case 0: .boolean
    case 1: .integer
    case 2: .string
    case 3: .date
    case 4: .duration
    case 5, 6: .array(any(depth: depth - 1, using: &random))
    case 7, 8: .dictionary(any(depth: depth - 1, using: &random))
    default: structure(depth: depth, using: &random)
    }
  }
}

/// A value of a ``RandomType``.
indirect enum RandomStructure: Codable, Equatable, Sendable {
  case boolean(Bool)
  case integer(Int)
  case string(String)
  case date(Date)
  case duration(Duration)
  case structure([String: RandomStructure])
  case array([RandomStructure])
  case dictionary([String: RandomStructure])

  /// The type of the outermost value that is decoded.
  @TaskLocal static var type = RandomType.structure([])

  /// Creates a value; unless it is complete, members that are not optional may be missing too.
  init(_ type: RandomType, isComplete: Bool, using random: inout SplitMix64) {
    func inner(_ type: RandomType, _ random: inout SplitMix64) -> RandomStructure {
      RandomStructure(type, isComplete: isComplete, using: &random)
    }
    switch type {
    case .boolean: self = .boolean(random.once(in: 2))
    case .integer: self = .integer(random.integer(Int.self))
    case .string: self = .string(random.string())
    case .date: self = .date(random.date())
    case .duration: self = .duration(random.duration())
    case .structure(let members):
      var values: [String: RandomStructure] = [:]
      for member in members where !random.once(in: member.isOptional ? 2 : isComplete ? .max : 6) {
        values[member.name] = inner(member.type, &random)
      }
      self = .structure(values)
    case .array(let element): self = .array(random.array(upTo: 2) { inner(element, &$0) })
    case .dictionary(let element):
      var values: [String: RandomStructure] = [:]
      for key in ["host", "x", "y"] where random.once(in: 2) {
        values[key] = inner(element, &random)
      }
      self = .dictionary(values)
    }
  }

  /// The value with the missing members of structures taken from another; nil if it lacks them.
  func completed(from other: RandomStructure?, _ type: RandomType) -> RandomStructure? {
    switch (self, type) {
    case (.structure(var values), .structure(let members)):
      for member in members {
        let other = other?.members[member.name]
        if let value = values[member.name] {
          guard let value = value.completed(from: other, member.type) else { return nil }
          values[member.name] = value
        } else if !member.isOptional {
          guard let other else { return nil }
          values[member.name] = other
        }
      }
      return .structure(values)
    case (.array(let elements), .array(let type)):
      let completed = elements.compactMap { $0.completed(from: nil, type) }
      return completed.count == elements.count ? .array(completed) : nil
    case (.dictionary(let values), .dictionary(let type)):
      let completed = values.compactMap { key, value in
        value.completed(from: other?.members[key], type).map { (key, $0) }
      }
      return completed.count == values.count
        ? .dictionary(Dictionary(uniqueKeysWithValues: completed)) : nil
    default: return self
    }
  }

  private var members: [String: RandomStructure] {
    switch self {
    case .structure(let members), .dictionary(let members): members
    default: [:]
    }
  }
}

extension RandomStructure {
  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
  }

  func encode(to encoder: any Encoder) throws {
    switch self {
    case .boolean(let value): try value.encode(to: encoder)
    case .integer(let value): try value.encode(to: encoder)
    case .string(let value): try value.encode(to: encoder)
    case .date(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    case .duration(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    case .array(let value): try value.encode(to: encoder)
    case .structure(let members), .dictionary(let members):
      var container = encoder.container(keyedBy: Key.self)
      for (name, member) in members { try container.encode(member, forKey: Key(name)) }
    }
  }

  init(from decoder: any Decoder) throws {
    var type = Self.type
    for key in decoder.codingPath {
      switch type {
      case .structure(let members): type = members.first { $0.name == key.stringValue }!.type
      case .array(let element), .dictionary(let element): type = element
      default: fatalError("A scalar has no member \(key).")
      }
    }
    func scalar<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
      try decoder.singleValueContainer().decode(type)
    }
    switch type {
    case .boolean: self = .boolean(try scalar())
    case .integer: self = .integer(try scalar())
    case .string: self = .string(try scalar())
    case .date: self = .date(try scalar())
    case .duration: self = .duration(try scalar())
    case .array: self = .array(try [RandomStructure](from: decoder))
    case .dictionary: self = .dictionary(try [String: RandomStructure](from: decoder))
    case .structure(let members):
      let container = try decoder.container(keyedBy: Key.self)
      var values: [String: RandomStructure] = [:]
      for member in members {
        let key = Key(member.name)
        values[member.name] =
          member.isOptional
          ? try container.decodeIfPresent(RandomStructure.self, forKey: key)
          : try container.decode(RandomStructure.self, forKey: key)
      }
      self = .structure(values)
    }
  }
}
