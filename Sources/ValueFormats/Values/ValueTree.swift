package import FoundationEssentials
import StorageInternals

/// An encoded value, independent of the file format.
package enum ValueTree: Hashable, Sendable {
  /// A nil inside `depth` non-nil optionals.
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

/// The form that values have in a tree.
package enum ValueForm: Sendable {
  /// The form of settings: short URLs, decimals and durations; decoding accepts forms that only
  /// people write.
  case setting
  /// The form of Foundation's `PropertyListEncoder`, in which FTPropertyWrappers stored secrets.
  case foundation
}

// Standard types that are common, or whose stored form differs, are converted without `Codable`.

extension ValueTree {
  /// Returns the tree for a value of a standard type; nil if the type itself must encode the value.
  static func builtIn<Value>(_ value: Value, _ form: ValueForm) -> ValueTree? {
    if Value.self == String.self { return .string(identityCast(value, to: String.self)) }
    if Value.self == Int.self { return identityCast(value, to: Int.self).tree }
    if Value.self == Bool.self { return .bool(identityCast(value, to: Bool.self)) }
    if Value.self == Double.self { return .number(.real(identityCast(value, to: Double.self))) }
    if Value.self == UInt8.self { return identityCast(value, to: UInt8.self).tree }
    if Value.self == Date.self { return .date(identityCast(value, to: Date.self)) }
    if Value.self == Data.self {
      let data = identityCast(value, to: Data.self)
      // A slice may have a different start index, which some code does not expect.
      return .data(data.startIndex == 0 ? data : Data(Array(data)))
    }
    // A dynamic cast to a protocol would take as long as encoding a small structure.
    if Value.self == Float.self { return .number(.float(identityCast(value, to: Float.self))) }
    if Value.self == Int8.self { return identityCast(value, to: Int8.self).tree }
    if Value.self == Int16.self { return identityCast(value, to: Int16.self).tree }
    if Value.self == Int32.self { return identityCast(value, to: Int32.self).tree }
    if Value.self == Int64.self { return identityCast(value, to: Int64.self).tree }
    if Value.self == UInt.self { return identityCast(value, to: UInt.self).tree }
    if Value.self == UInt16.self { return identityCast(value, to: UInt16.self).tree }
    if Value.self == UInt32.self { return identityCast(value, to: UInt32.self).tree }
    if Value.self == UInt64.self { return identityCast(value, to: UInt64.self).tree }
    if Value.self == Int128.self { return identityCast(value, to: Int128.self).tree }
    if Value.self == UInt128.self { return identityCast(value, to: UInt128.self).tree }
    if form == .foundation { return nil }
    if Value.self == URL.self {
      let url = identityCast(value, to: URL.self)
      // A relative URL would lose its base.
      return URL(string: url.absoluteString) == url ? .string(url.absoluteString) : nil
    }
    if Value.self == Decimal.self { return identityCast(value, to: Decimal.self).tree }
    if Value.self == Duration.self { return identityCast(value, to: Duration.self).tree }
    return nil
  }

  /// Returns a value of a standard type; nil if the type itself must decode the value.
  func builtIn<Value>(
    as type: Value.Type, _ form: ValueForm
  ) throws(ValueCodingError.Problem) -> Value? {
    if type == String.self { return identityCast(try string(), to: type) }
    if type == Int.self { return identityCast(try integer() as Int, to: type) }
    if type == Bool.self { return identityCast(try bool(), to: type) }
    if type == Double.self { return identityCast(try real(\.double), to: type) }
    if type == UInt8.self { return identityCast(try integer() as UInt8, to: type) }
    if type == Date.self { return identityCast(try date(), to: type) }
    if type == Data.self { return identityCast(try data(), to: type) }
    if type == Float.self { return identityCast(try real(\.float), to: type) }
    if type == Int8.self { return identityCast(try integer() as Int8, to: type) }
    if type == Int16.self { return identityCast(try integer() as Int16, to: type) }
    if type == Int32.self { return identityCast(try integer() as Int32, to: type) }
    if type == Int64.self { return identityCast(try integer() as Int64, to: type) }
    if type == UInt.self { return identityCast(try integer() as UInt, to: type) }
    if type == UInt16.self { return identityCast(try integer() as UInt16, to: type) }
    if type == UInt32.self { return identityCast(try integer() as UInt32, to: type) }
    if type == UInt64.self { return identityCast(try integer() as UInt64, to: type) }
    if type == Int128.self { return identityCast(try integer() as Int128, to: type) }
    if type == UInt128.self { return identityCast(try unsigned128(), to: type) }
    if form == .foundation { return nil }
    if type == URL.self { return try url().map { identityCast($0, to: type) } }
    if type == Decimal.self { return try Decimal(self).map { identityCast($0, to: type) } }
    if type == Duration.self { return try Duration(self).map { identityCast($0, to: type) } }
    return nil
  }

  /// Throws an error if only the form of settings allows reading the value as a type.
  ///
  /// Otherwise, a type that tries to decode data before a string would change the value.
  func check(_ type: Any.Type, _ form: ValueForm) throws(ValueCodingError.Problem) {
    if form == .setting { return }
    switch self {
    case .string where type == Data.self: throw isNot(.data)
    case .string where type == Double.self || type == Float.self: throw isNot(.number)
    case .string where type == Date.self, .number where type == Date.self: throw isNot(.date)
    case .number(.real(let real))
    where type == Float.self && Float(exactly: real) == nil && !real.isNaN:
      throw .outOfRange(type: "Float")
    default: return
    }
  }

  private func bool() throws(ValueCodingError.Problem) -> Bool {
    guard case .bool(let value) = self else { throw isNot(.boolean) }
    return value
  }

  private func string() throws(ValueCodingError.Problem) -> String {
    guard case .string(let value) = self else { throw isNot(.string) }
    return value
  }

  private func real<Real: FloatingPoint & LosslessStringConvertible>(
    _ nearest: (StoredNumber) -> Real?
  ) throws(ValueCodingError.Problem) -> Real {
    if case .number(let number) = self {
      guard let value = nearest(number) else { throw .outOfRange(type: "\(Real.self)") }
      return value
    }
    guard case .string(let string) = self, let value: Real = string.nonFinite() else {
      throw isNot(.number)
    }
    return value
  }

  private func integer<Integer: FixedWidthInteger>() throws(ValueCodingError.Problem) -> Integer {
    guard case .number(let number) = self else { throw isNot(.number) }
    if let value: Integer = number.integer() { return value }
    // No range contains a fraction.
    let isInteger = number.double.map { $0 == $0.rounded() } ?? true
    throw .outOfRange(
      type: "\(Integer.self)", range: isInteger ? "\(Integer.min) to \(Integer.max)" : nil)
  }

  private func unsigned128() throws(ValueCodingError.Problem) -> UInt128 {
    if case .string(let string) = self, let value = UInt128(string), value.tree == self {
      return value
    }
    return try integer()
  }

  private func date() throws(ValueCodingError.Problem) -> Date {
    switch self {
    case .date(let date): return date
    case .number(let number):
      guard let seconds = number.double else { throw .outOfRange(type: "Date") }
      return Date(timeIntervalSinceReferenceDate: seconds)
    case .string(let string):
      if let date = Date(iso8601: string) { return date }
      guard let seconds: Double = string.nonFinite() else { throw isNot(.date) }
      return Date(timeIntervalSinceReferenceDate: seconds)
    default: throw isNot(.date)
    }
  }

  private func data() throws(ValueCodingError.Problem) -> Data {
    if case .data(let data) = self { return data }
    guard case .string(let string) = self, let data = Data(strictBase64: string.utf8) else {
      throw isNot(.data)
    }
    return data
  }

  /// Returns the URL; nil for a dictionary, which `URL` itself decodes.
  private func url() throws(ValueCodingError.Problem) -> URL? {
    if case .dictionary = self { return nil }
    guard case .string(let string) = self, let url = URL(string: string) else {
      throw isNot(.url)
    }
    return url
  }

  package func isNot(_ expected: ValueCodingError.Kind) -> ValueCodingError.Problem {
    let found: ValueCodingError.Kind =
      switch self {
      case .null: .null
      case .bool: .boolean
      case .number: .number
      case .string: .string
      case .data: .data
      case .date: .date
      case .array: .array
      case .dictionary: .dictionary
      }
    return .wrongType(expected: expected, found: found)
  }

  /// The tree of this value in an optional.
  var wrapped: ValueTree {
    guard case .null(let depth) = self else { return self }
    return .null(depth: depth + 1)
  }

  /// The tree without the outermost optional.
  var unwrapped: ValueTree {
    guard case .null(let depth) = self, depth > 0 else { return self }
    return .null(depth: depth - 1)
  }

  /// Whether the value is a nil that is in no other optional.
  var isNull: Bool {
    if case .null(depth: 0) = self { true } else { false }
  }
}

extension FixedWidthInteger {
  /// The number, or a string for a `UInt128` that exceeds `Int128`.
  var tree: ValueTree {
    Int128(exactly: self).map { .number(.integer($0)) } ?? .string(String(self))
  }
}
