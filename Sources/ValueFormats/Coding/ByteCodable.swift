import FoundationEssentials
import StorageInternals

/// A type with its own byte encoding, which a ``ValueCoder`` stores without a property list.
protocol ByteCodable {
  var encodedBytes: [UInt8] { get }

  init(encodedBytes bytes: Span<UInt8>) throws(ValueCodingError)
}

extension ByteCodable {
  static func bytes(of value: some Any) -> [UInt8] {
    identityCast(value, to: Self.self).encodedBytes
  }

  static func decode<Value>(
    _ bytes: Span<UInt8>, as type: Value.Type
  ) throws(ValueCodingError) -> Value { identityCast(try Self(encodedBytes: bytes), to: type) }
}

extension String: ByteCodable {
  var encodedBytes: [UInt8] { Array(utf8) }

  init(encodedBytes bytes: Span<UInt8>) throws(ValueCodingError) {
    do {
      // Twice as fast as `String(validating:as:)`.
      self.init(copying: try UTF8Span(validating: bytes))
    } catch {
      throw ValueCodingError(.notUTF8, of: Self.self)
    }
  }
}

extension Data: ByteCodable {
  var encodedBytes: [UInt8] { Array(self) }

  init(encodedBytes bytes: Span<UInt8>) {
    // The buffer is copied inside the closure.
    self = unsafe bytes.withUnsafeBufferPointer { unsafe Data(buffer: $0) }
  }
}

extension URL: ByteCodable {
  var encodedBytes: [UInt8] { absoluteString.encodedBytes }

  init(encodedBytes bytes: Span<UInt8>) throws(ValueCodingError) {
    let string: String
    do {
      string = try String(encodedBytes: bytes)
    } catch {
      throw ValueCodingError(error.problem, of: Self.self)
    }
    // The stored string of a URL contains no unescaped characters that require an escape.
    guard let url = URL(string: string, encodingInvalidCharacters: false) else {
      throw ValueCodingError(.notURL, of: Self.self)
    }
    self = url
  }
}

extension Bool: ByteCodable {
  var encodedBytes: [UInt8] { Int(self ? 1 : 0).encodedBytes }

  init(encodedBytes bytes: Span<UInt8>) throws(ValueCodingError) {
    switch try Int(encodedBytes: bytes) {
    case 0: self = false
    case 1: self = true
    default: throw ValueCodingError(.notBoolean, of: Self.self)
    }
  }
}

// Integers have 8 bytes in little-endian order.

extension StoredInteger {
  var encodedBytes: [UInt8] {
    let bits = UInt64(truncatingIfNeeded: self)
    return (0..<8).map { UInt8(truncatingIfNeeded: bits >> ($0 * 8)) }
  }

  /// Decodes an integer of 1, 2, 4 or 8 bytes, with a sign bit if the type is signed.
  init(encodedBytes bytes: Span<UInt8>) throws(ValueCodingError) {
    guard [1, 2, 4, 8].contains(bytes.count) else {
      throw ValueCodingError(.wrongByteCount, of: Self.self)
    }
    let width = bytes.count * 8
    var bits: UInt64 = 0
    for index in bytes.indices { bits |= UInt64(bytes[index]) << (index * 8) }
    // Shifting to the left and back extends the sign.
    let signed = Int64(bitPattern: bits << (64 - width)) >> (64 - width)
    guard let integer = Self.isSigned ? Self(exactly: signed) : Self(exactly: bits) else {
      throw ValueCodingError(.outOfRange(type: "\(Self.self)"), of: Self.self)
    }
    self = integer
  }
}

/// Casts a value to its own type, for which generic code has a different name.
///
/// A dynamic cast takes longer than the rest of decoding a short string. Without inlining, a call
/// to this function from generic code would take a third as long as a dynamic cast.
@inline(__always)
func identityCast<Value, Target>(_ value: consuming Value, to type: Target.Type) -> Target {
  if Value.self != type { fatalError("\(Value.self) is not \(type).") }
  // The types are equal, so nothing is reinterpreted.
  return unsafe unsafeBitCast(value, to: type)
}
