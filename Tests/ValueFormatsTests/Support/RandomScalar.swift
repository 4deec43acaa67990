import FoundationEssentials
import TestSupport

/// A value without nested values.
enum RandomScalar: Codable, Sendable {
  case bool(Bool)
  case int(Int)
  case int128(Int128)
  case uint64(UInt64)
  case uint128(UInt128)
  case double(Double)
  case float(Float)
  case string(String)
  case data(Data)
  case date(Date)
  case url(URL)
  case uuid(UUID)
  case decimal(Decimal)
  case duration(Duration)

  init(using random: inout SeededGenerator) {
    self =
      switch Int.random(in: 0..<18, using: &random) {
      case 0: .bool(.random(using: &random))
      case 1: .int(random.integer(Int.self))
      case 2: .int128(random.integer(Int128.self))
      case 3: .uint64(random.integer(UInt64.self))
      case 4: .uint128(random.integer(UInt128.self))
      case 5, 6: .double(random.double())
      case 7: .float(random.float())
      case 8: .data(random.data())
      case 9, 10: .date(random.date())
      case 11: .url(random.url())
      case 12:
        .uuid(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5\(random.next() % 10)")!)
      case 13: .decimal(random.decimal())
      case 14: .duration(random.duration())
      default: .string(random.string())
      }
  }
}

extension RandomScalar: Equatable {
  /// Whether two values have the same bits; all NaNs are the same.
  static func == (first: RandomScalar, second: RandomScalar) -> Bool {
    switch (first, second) {
    case (.bool(let first), .bool(let second)): first == second
    case (.int(let first), .int(let second)): first == second
    case (.int128(let first), .int128(let second)): first == second
    case (.uint64(let first), .uint64(let second)): first == second
    case (.uint128(let first), .uint128(let second)): first == second
    case (.double(let first), .double(let second)): first.isExactly(second)
    case (.float(let first), .float(let second)): first.isExactly(second)
    case (.string(let first), .string(let second)): first.isExactly(second)
    case (.data(let first), .data(let second)): first == second
    case (.date(let first), .date(let second)): first == second
    case (.url(let first), .url(let second)): first == second
    case (.uuid(let first), .uuid(let second)): first == second
    case (.decimal(let first), .decimal(let second)): first == second
    case (.duration(let first), .duration(let second)): first == second
    default: false
    }
  }
}

extension BinaryFloatingPoint {
  /// Distinguishes -0.0 from 0.0, but no NaN from another.
  func isExactly(_ other: Self) -> Bool {
    self == other ? sign == other.sign : isNaN && other.isNaN
  }
}

extension String {
  /// Distinguishes strings that differ only in their normalization.
  func isExactly(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
