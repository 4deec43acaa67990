import FoundationEssentials

/// A value without nested values.
enum RandomScalar: Codable, Sendable {
  case bool(Bool)
  case int(Int)
  case int8(Int8)
  case int16(Int16)
  case int32(Int32)
  case int64(Int64)
  case int128(Int128)
  case uint(UInt)
  case uint8(UInt8)
  case uint16(UInt16)
  case uint32(UInt32)
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

  init(using random: inout SplitMix64) {
    self =
      switch Int.random(in: 0..<25, using: &random) {
      case 0: .bool(.random(using: &random))
      case 1: .int(random.integer(Int.self))
      case 2: .int8(random.integer(Int8.self))
      case 3: .int16(random.integer(Int16.self))
      case 4: .int32(random.integer(Int32.self))
      case 5: .int64(random.integer(Int64.self))
      case 6: .int128(random.integer(Int128.self))
      case 7: .uint(random.integer(UInt.self))
      case 8: .uint8(random.integer(UInt8.self))
      case 9: .uint16(random.integer(UInt16.self))
      case 10: .uint32(random.integer(UInt32.self))
      case 11: .uint64(random.integer(UInt64.self))
      case 12: .uint128(random.integer(UInt128.self))
      case 13, 14: .double(random.double())
      case 15: .float(random.float())
      case 16: .data(random.data())
      case 17, 18: .date(random.date())
      case 19: .url(random.url())
      case 20:
        .uuid(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5\(random.next() % 10)")!)
      case 21:
        .decimal(
          Decimal(
            sign: random.one(of: [.plus, .minus]),
            exponent: Int.random(in: -100...100, using: &random),
            significand: Decimal(random.next())))
      case 22: .duration(random.duration())
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
    case (.int8(let first), .int8(let second)): first == second
    case (.int16(let first), .int16(let second)): first == second
    case (.int32(let first), .int32(let second)): first == second
    case (.int64(let first), .int64(let second)): first == second
    case (.int128(let first), .int128(let second)): first == second
    case (.uint(let first), .uint(let second)): first == second
    case (.uint8(let first), .uint8(let second)): first == second
    case (.uint16(let first), .uint16(let second)): first == second
    case (.uint32(let first), .uint32(let second)): first == second
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
