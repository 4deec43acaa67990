package import FoundationEssentials
import StorageInternals

/// A value in a form that all formats share, for encoding and decoding `Codable` types.
package enum ValueTree: Hashable, Sendable {
  /// The absence of a value, inside of `depth` present optionals.
  ///
  /// `Optional<Int>.none` has depth 0, and `.some(.none)` of an `Int??` has depth 1.
  case null(depth: Int)
  case bool(Bool)
  case number(StoredNumber)
  case string(String)
  case data(Data)
  case date(Date)
  case array([ValueTree])
  case dictionary([StoredKey: ValueTree])
}

// Types known by name: types with a stored form other than that of their own `Codable`, and the
// most common other types, which then need no encoder.

extension ValueTree {
  /// Returns the tree of a value of a known type; nil if the type's own code must encode it.
  static func known<Value>(_ value: Value) -> ValueTree? {
    if Value.self == String.self { return .string(same(value, as: String.self)) }
    if Value.self == Int.self { return same(value, as: Int.self).tree }
    if Value.self == Bool.self { return .bool(same(value, as: Bool.self)) }
    if Value.self == Double.self { return .number(.real(same(value, as: Double.self))) }
    if Value.self == UInt8.self { return same(value, as: UInt8.self).tree }
    if Value.self == Date.self { return .date(same(value, as: Date.self)) }
    if Value.self == Data.self {
      let data = same(value, as: Data.self)
      // A slice has other indices.
      return .data(data.startIndex == 0 ? data : Data(Array(data)))
    }
    if Value.self == URL.self {
      let url = same(value, as: URL.self)
      // A relative URL would lose its base.
      return URL(string: url.absoluteString) == url ? .string(url.absoluteString) : nil
    }
    // A dynamic cast to the protocol would take as long as encoding a small structure.
    if Value.self == Float.self { return same(value, as: Float.self).tree }
    if Value.self == Int8.self { return same(value, as: Int8.self).tree }
    if Value.self == Int16.self { return same(value, as: Int16.self).tree }
    if Value.self == Int32.self { return same(value, as: Int32.self).tree }
    if Value.self == Int64.self { return same(value, as: Int64.self).tree }
    if Value.self == UInt.self { return same(value, as: UInt.self).tree }
    if Value.self == UInt16.self { return same(value, as: UInt16.self).tree }
    if Value.self == UInt32.self { return same(value, as: UInt32.self).tree }
    if Value.self == UInt64.self { return same(value, as: UInt64.self).tree }
    if Value.self == Int128.self { return same(value, as: Int128.self).tree }
    if Value.self == UInt128.self { return same(value, as: UInt128.self).tree }
    return nil
  }

  /// Returns the value of a known type; nil if the type's own code must decode it.
  func known<Value>(as type: Value.Type) throws(ValueCodingError.Problem) -> Value? {
    if type == String.self { return same(try String(self), as: type) }
    if type == Int.self { return same(try Int(self), as: type) }
    if type == Bool.self { return same(try Bool(self), as: type) }
    if type == Double.self { return same(try Double(self), as: type) }
    if type == UInt8.self { return same(try UInt8(self), as: type) }
    if type == Date.self { return same(try date, as: type) }
    if type == Data.self { return same(try data, as: type) }
    if type == URL.self { return try url.map { same($0, as: type) } }
    if type == Float.self { return same(try Float(self), as: type) }
    if type == Int8.self { return same(try Int8(self), as: type) }
    if type == Int16.self { return same(try Int16(self), as: type) }
    if type == Int32.self { return same(try Int32(self), as: type) }
    if type == Int64.self { return same(try Int64(self), as: type) }
    if type == UInt.self { return same(try UInt(self), as: type) }
    if type == UInt16.self { return same(try UInt16(self), as: type) }
    if type == UInt32.self { return same(try UInt32(self), as: type) }
    if type == UInt64.self { return same(try UInt64(self), as: type) }
    if type == Int128.self { return same(try Int128(self), as: type) }
    if type == UInt128.self { return same(try UInt128(self), as: type) }
    return nil
  }

  private var date: Date {
    get throws(ValueCodingError.Problem) {
      switch self {
      case .date(let date): return date
      case .number(let number):
        guard let seconds = number.double else { throw .outOfRange(type: "Date") }
        return Date(timeIntervalSinceReferenceDate: seconds)
      case .string(let text):
        if let date = Date(iso8601: text) { return date }
        guard let seconds: Double = text.nonFinite() else { throw isNot(.date) }
        return Date(timeIntervalSinceReferenceDate: seconds)
      default: throw isNot(.date)
      }
    }
  }

  private var data: Data {
    get throws(ValueCodingError.Problem) {
      switch self {
      case .data(let data): return data
      case .string(let text):
        guard let data = Data(strictBase64: text.utf8) else { throw isNot(.data) }
        return data
      default: throw isNot(.data)
      }
    }
  }

  /// The URL; nil for the dictionary that a URL's own code writes.
  private var url: URL? {
    get throws(ValueCodingError.Problem) {
      switch self {
      case .string(let text):
        guard let url = URL(string: text) else { throw isNot(.url) }
        return url
      case .dictionary: return nil
      default: throw isNot(.url)
      }
    }
  }
}

extension ValueTree {
  /// The tree inside of one more optional: only an absence stores the number of optionals.
  var wrapped: ValueTree {
    guard case .null(let depth) = self else { return self }
    return .null(depth: depth + 1)
  }

  /// The tree inside of one optional less.
  var unwrapped: ValueTree {
    guard case .null(let depth) = self, depth > 0 else { return self }
    return .null(depth: depth - 1)
  }

  /// Whether a value is absent at this level, not inside of a present optional.
  var isNull: Bool {
    if case .null(depth: 0) = self { true } else { false }
  }
}
