import FoundationEssentials

/// A type that is encoded as a single value without containers.
package protocol StoredScalar: Codable {
  var tree: ValueTree { get }

  init(_ tree: ValueTree) throws(ValueCodingError.Problem)
}

extension StoredScalar {
  // Types of other modules call these methods in their `Codable` implementations.

  /// Decodes a value of a decoder of settings; nil for another decoder.
  package static func decodeTree(of decoder: any Decoder) throws -> Self? {
    guard let reader = decoder as? TreeReader, reader.context.form == .setting else { return nil }
    do throws(ValueCodingError.Problem) {
      return try Self(reader.tree)
    } catch {
      throw DecodingError(error, of: Self.self, at: reader.path)
    }
  }

  package func encodeTree(to encoder: any Encoder) throws -> Bool {
    guard let builder = encoder as? TreeBuilder, builder.context.form == .setting else {
      return false
    }
    try builder.set(tree)
    return true
  }
}

extension Bool: StoredScalar {
  package var tree: ValueTree { .bool(self) }

  package init(_ tree: ValueTree) throws(ValueCodingError.Problem) {
    guard case .bool(let value) = tree else { throw tree.isNot(.boolean) }
    self = value
  }
}

extension String: StoredScalar {
  package var tree: ValueTree { .string(self) }

  package init(_ tree: ValueTree) throws(ValueCodingError.Problem) {
    guard case .string(let value) = tree else { throw tree.isNot(.string) }
    self = value
  }
}

extension Double: StoredScalar {
  package var tree: ValueTree { .number(.real(self)) }

  package init(_ tree: ValueTree) throws(ValueCodingError.Problem) {
    self = try tree.real(\.double)
  }
}

extension Float: StoredScalar {
  package var tree: ValueTree { .number(.float(self)) }

  package init(_ tree: ValueTree) throws(ValueCodingError.Problem) { self = try tree.real(\.float) }
}

extension ValueTree {
  fileprivate func real<Real: FloatingPoint & LosslessStringConvertible>(
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

  fileprivate func integer<Integer: FixedWidthInteger>() throws(ValueCodingError.Problem) -> Integer
  {
    guard case .number(let number) = self else { throw isNot(.number) }
    guard let value: Integer = number.integer() else { throw .outOfRange(type: "\(Integer.self)") }
    return value
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
}

extension StoredScalar where Self: FixedWidthInteger {
  package var tree: ValueTree { .number(.integer(Int128(self))) }

  package init(_ tree: ValueTree) throws(ValueCodingError.Problem) { self = try tree.integer() }
}

/// An integer type of the standard library with at most 64 bits.
protocol StoredInteger: StoredScalar, StoredBytes, FixedWidthInteger {}

extension Int: StoredInteger {}
extension Int8: StoredInteger {}
extension Int16: StoredInteger {}
extension Int32: StoredInteger {}
extension Int64: StoredInteger {}
extension UInt: StoredInteger {}
extension UInt8: StoredInteger {}
extension UInt16: StoredInteger {}
extension UInt32: StoredInteger {}
extension UInt64: StoredInteger {}
extension Int128: StoredScalar {}

extension UInt128: StoredScalar {
  package var tree: ValueTree {
    Int128(exactly: self).map { .number(.integer($0)) } ?? .string(String(self))
  }

  package init(_ tree: ValueTree) throws(ValueCodingError.Problem) {
    if case .string(let string) = tree, let value = UInt128(string), value.tree == tree {
      self = value
    } else {
      self = try tree.integer()
    }
  }
}

extension Data {
  /// Decodes base64, without the wrong padding that Foundation accepts.
  init?(strictBase64 base64: some Collection<UInt8>) {
    let padding = base64.drop { $0 != UInt8(ascii: "=") }
    guard base64.count % 4 == 0, padding.count <= 2, padding.allSatisfy({ $0 == UInt8(ascii: "=") })
    else { return nil }
    self.init(base64Encoded: Data(base64))
  }
}
