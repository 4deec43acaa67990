import TestSupport

/// A nested value of any `Codable` shape.
indirect enum RandomValue: Codable, Equatable, Sendable {
  case nothing
  case scalar(RandomScalar)
  case named(first: RandomValue?, second: RandomValue??)
  case array([RandomValue])
  case optionals([RandomValue??])
  case dictionary([String: RandomValue])
  case byNumber([Int: RandomValue?])
  case byColor([Color: RandomScalar])
  case byPoint([Point: RandomScalar?])
  case set(Set<Int16>)
  case bytes([UInt8])
  case maybe(Maybe<Maybe<RandomValue?>>)

  enum Color: String, Codable, CaseIterable, Sendable {
    case red
    case green
  }

  struct Point: Codable, Hashable, Sendable {
    var x: Int8
    var y: UInt64?

    init(using random: inout SeededGenerator) {
      x = random.integer(Int8.self)
      y = random.optional { $0.integer(UInt64.self) }
    }
  }

  /// Creates a value that is nested at most `depth` levels deep.
  init(depth: Int = 4, using random: inout SeededGenerator) {
    if depth == 0 || random.once(in: 4) {
      self = .scalar(RandomScalar(using: &random))
      return
    }
    func inner(_ random: inout SeededGenerator) -> RandomValue {
      RandomValue(depth: depth - 1, using: &random)
    }
    self =
      switch Int.random(in: 0..<11, using: &random) {
      case 0: .nothing
      case 1:
        .named(first: random.optional(inner), second: random.optional { $0.optional(inner) })
      case 2: .array(random.array(upTo: 4, inner))
      case 3: .optionals(random.array(upTo: 4) { $0.optional { $0.optional(inner) } })
      case 4: .dictionary(random.dictionary(upTo: 4, { $0.key() }, inner))
      case 5:
        .byNumber(random.dictionary(upTo: 4, { $0.integer(Int.self) }, { $0.optional(inner) }))
      case 6:
        .byColor(random.dictionary(upTo: 3, { $0.one(of: Color.allCases) }, RandomScalar.init))
      case 7:
        .byPoint(random.dictionary(upTo: 3, Point.init, { $0.optional(RandomScalar.init) }))
      case 8: .set(Set(random.array(upTo: 5) { $0.integer(Int16.self) }))
      case 9: .bytes(random.array(upTo: 8) { $0.integer(UInt8.self) })
      default:
        .maybe(random.maybe { random in random.maybe { random in random.optional(inner) } })
      }
  }
}

extension SeededGenerator {
  mutating func optional<Wrapped>(_ value: (inout SeededGenerator) -> Wrapped) -> Wrapped? {
    once(in: 3) ? nil : value(&self)
  }

  mutating func maybe<Wrapped>(_ value: (inout SeededGenerator) -> Wrapped) -> Maybe<Wrapped> {
    once(in: 3) ? .nothing : .just(value(&self))
  }

  mutating func dictionary<Key, Value>(
    upTo limit: Int, _ key: (inout SeededGenerator) -> Key,
    _ value: (inout SeededGenerator) -> Value
  ) -> [Key: Value] {
    Dictionary(array(upTo: limit) { (key(&$0), value(&$0)) }) { first, _ in first }
  }
}
