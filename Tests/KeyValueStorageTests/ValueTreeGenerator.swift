import FoundationEssentials

@testable import KeyValueStorage

/// Makes random trees, as formats get them from values to write.
struct ValueTreeGenerator {
  var random: SplitMix64

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
  }

  /// A tree of at most so many arrays and dictionaries around one another.
  mutating func tree(depth: Int = 4) -> ValueTree {
    switch Int.random(in: 0..<(depth > 0 ? 12 : 8), using: &random) {
    case 0: .null(depth: random.one(of: [0, 0, 1, 2, 10]))
    case 1: .bool(.random(using: &random))
    case 2: .number(.integer(Int128(random.integer(Int64.self))))
    case 3:
      .number(
        random.one(of: [
          .real(random.double()), .float(random.float()), .integer(random.integer(Int128.self)),
        ]))
    case 4: .date(random.date())
    case 5: .data(random.data())
    case 6, 7: .string(random.string())
    case 8, 9: .array(elements(depth))
    default: .dictionary(entries(depth))
    }
  }

  private mutating func elements(_ depth: Int) -> [ValueTree] {
    (0..<Int.random(in: 0...4, using: &random)).map { _ in tree(depth: depth - 1) }
  }

  private mutating func entries(_ depth: Int) -> [String: ValueTree] {
    var entries: [String: ValueTree] = [:]
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      entries[random.key()] = tree(depth: depth - 1)
    }
    return entries
  }
}
