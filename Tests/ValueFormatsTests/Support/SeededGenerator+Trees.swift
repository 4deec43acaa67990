import FoundationEssentials
import TestSupport

@testable import ValueFormats

// Random trees and files.
extension SeededGenerator {
  /// A tree that a format can receive, nested at most `depth` levels deep.
  mutating func tree(depth: Int = 4) -> ValueTree {
    switch number(0..<(depth > 0 ? 12 : 8)) {
    case 0: .null(depth: one(of: [0, 0, 1, 2, 3, 10]))
    case 1: .bool(once(in: 2))
    case 2:
      .number(
        .integer(
          one(of: [
            Int128(integer(Int64.self)), Int128(integer(UInt64.self)), integer(Int128.self),
          ])))
    case 3: .number(once(in: 3) ? .float(float()) : .real(double()))
    case 4: .date(once(in: 3) ? Date(timeIntervalSinceReferenceDate: double()) : date())
    case 5: .data(data())
    case 6, 7: .string(string())
    case 8, 9: .array(array(upTo: contentLimit()) { $0.tree(depth: depth - 1) })
    default:
      .dictionary(
        dictionary(upTo: contentLimit(), { StoredKey($0.key()) }, { $0.tree(depth: depth - 1) }))
    }
  }

  /// Binary property lists encode counts above 14 differently.
  private mutating func contentLimit() -> Int { once(in: 4) ? 19 : 4 }

  /// Trees for `count` distinct keys, in no particular order.
  mutating func trees(_ count: Int) -> [(key: StoredKey, tree: ValueTree)] {
    var keys: Set<StoredKey> = []
    var trees: [(key: StoredKey, tree: ValueTree)] = []
    while trees.count < count {
      let key = StoredKey(key())
      if keys.insert(key).inserted { trees.append((key, tree())) }
    }
    return trees
  }

  /// A file with `count` keys.
  mutating func file(keys count: Int, in format: some StoredFormat) throws -> [UInt8] {
    format.join([try format.entries(trees(count))[...]], FileSurroundings())
  }
}
