/// A nested value of any `Codable` shape.
indirect enum RandomValue: Codable, Sendable {
  case nothing
  case scalar(RandomScalar)
  case record(RandomRecord)
  case named(first: RandomValue?, second: RandomValue??)
  case array([RandomValue])
  case optionals([RandomValue??])
  case dictionary([String: RandomValue])
  case byNumber([Int: RandomValue?])
  case byColor([RandomRecord.Color: RandomScalar])
  case byPoint([RandomRecord.Point: RandomScalar?])
  case set(Set<Int16>)
  case bytes([UInt8])
  case maybe(Maybe<Maybe<RandomValue?>>)

  /// Creates a value that is nested at most `depth` levels deep.
  init(depth: Int = 4, using random: inout SplitMix64) {
    if depth == 0 || random.once(in: 4) {
      self = .scalar(RandomScalar(using: &random))
      return
    }
    func inner(_ random: inout SplitMix64) -> RandomValue {
      RandomValue(depth: depth - 1, using: &random)
    }
    self =
      switch Int.random(in: 0..<12, using: &random) {
      case 0: .nothing
      case 1: .record(RandomRecord(using: &random))
      case 2:
        .named(
          first: random.optional(inner), second: random.optional { $0.optional(inner) })
      case 3: .array(random.array(upTo: 4, inner))
      case 4: .optionals(random.array(upTo: 4) { $0.optional { $0.optional(inner) } })
      case 5: .dictionary(random.dictionary(upTo: 4, key: { $0.key() }, value: inner))
      case 6:
        .byNumber(
          random.dictionary(
            upTo: 4, key: { $0.integer(Int.self) }, value: { $0.optional(inner) }))
      case 7:
        .byColor(
          random.dictionary(
            upTo: 3, key: { $0.one(of: RandomRecord.Color.allCases) },
            value: { RandomScalar(using: &$0) }))
      case 8:
        .byPoint(
          random.dictionary(
            upTo: 3, key: { RandomRecord.Point(using: &$0) },
            value: { $0.optional { RandomScalar(using: &$0) } }))
      case 9: .set(Set(random.array(upTo: 5) { $0.integer(Int16.self) }))
      case 10: .bytes(random.array(upTo: 8) { $0.integer(UInt8.self) })
      default:
        .maybe(
          random.maybe { random in random.maybe { random in random.optional(inner) } })
      }
  }
}

extension RandomValue: Equatable {
  static func == (first: RandomValue, second: RandomValue) -> Bool {
    switch (first, second) {
    case (.nothing, .nothing): true
    case (.scalar(let first), .scalar(let second)): first == second
    case (.record(let first), .record(let second)): first == second
    case (.named(let first, let other), .named(let second, let another)):
      first == second && other == another
    case (.array(let first), .array(let second)): first == second
    case (.optionals(let first), .optionals(let second)): first == second
    case (.dictionary(let first), .dictionary(let second)):
      first == second
        && first.allSatisfy { entry in
          second.keys.contains { $0.isExactly(entry.key) }
        }
    case (.byNumber(let first), .byNumber(let second)): first == second
    case (.byColor(let first), .byColor(let second)): first == second
    case (.byPoint(let first), .byPoint(let second)): first == second
    case (.set(let first), .set(let second)): first == second
    case (.bytes(let first), .bytes(let second)): first == second
    case (.maybe(let first), .maybe(let second)): first == second
    default: false
    }
  }
}

extension SplitMix64 {
  mutating func optional<Wrapped>(_ value: (inout SplitMix64) -> Wrapped) -> Wrapped? {
    once(in: 3) ? nil : value(&self)
  }

  mutating func maybe<Wrapped>(_ value: (inout SplitMix64) -> Wrapped) -> Maybe<Wrapped> {
    once(in: 3) ? .nothing : .just(value(&self))
  }

  mutating func dictionary<Key, Value>(
    upTo limit: Int, key: (inout SplitMix64) -> Key, value: (inout SplitMix64) -> Value
  ) -> [Key: Value] {
    let entries = array(upTo: limit) { (key(&$0), value(&$0)) }
    return Dictionary(entries) { first, _ in first }
  }
}
