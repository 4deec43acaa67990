import FoundationEssentials
import StorageInternals

/// A type that a ``ValueCoder`` stores without a property list.
typealias StoredBytes = BytesEncodable & BytesDecodable

protocol BytesEncodable {
  var storedBytes: [UInt8] { get throws(ValueCodingError) }
}

protocol BytesDecodable {
  init?(stored bytes: Span<UInt8>)
}

extension BytesEncodable {
  static func bytes(of value: some Any) throws(ValueCodingError) -> [UInt8] {
    try identityCast(value, to: Self.self).storedBytes
  }
}

extension BytesDecodable {
  static func decode<Value>(
    _ bytes: Span<UInt8>, as type: Value.Type
  ) throws(ValueCodingError) -> Value {
    guard let value = Self(stored: bytes) else { throw ValueCodingError(.notValid, of: type) }
    return identityCast(value, to: type)
  }
}

extension String: StoredBytes {
  var storedBytes: [UInt8] { Array(utf8) }

  init?(stored bytes: Span<UInt8>) {
    do {
      // Twice as fast as `String(validating:as:)`.
      self.init(copying: try UTF8Span(validating: bytes))
    } catch {
      return nil
    }
  }
}

extension Data: StoredBytes {
  var storedBytes: [UInt8] { Array(self) }

  init(stored bytes: Span<UInt8>) {
    // The buffer is copied inside the closure.
    self = unsafe bytes.withUnsafeBufferPointer { unsafe Data(buffer: $0) }
  }
}

extension URL: StoredBytes {
  var storedBytes: [UInt8] { absoluteString.storedBytes }

  init?(stored bytes: Span<UInt8>) {
    guard let string = String(stored: bytes) else { return nil }
    // The stored string of a URL contains no unescaped characters that require an escape.
    self.init(string: string, encodingInvalidCharacters: false)
  }
}

extension Bool: StoredBytes {
  var storedBytes: [UInt8] { Int(self ? 1 : 0).storedBytes }

  init?(stored bytes: Span<UInt8>) {
    guard let integer = Int(stored: bytes), 0...1 ~= integer else { return nil }
    self = integer == 1
  }
}

// Integers have 8 bytes in little-endian order.

extension StoredInteger {
  var storedBytes: [UInt8] {
    let bits = UInt64(truncatingIfNeeded: self)
    return (0..<8).map { UInt8(truncatingIfNeeded: bits >> ($0 * 8)) }
  }

  /// Decodes an integer of 1, 2, 4 or 8 bytes, with a sign bit if the type is signed.
  init?(stored bytes: Span<UInt8>) {
    guard [1, 2, 4, 8].contains(bytes.count) else { return nil }
    let width = bytes.count * 8
    var bits: UInt64 = 0
    for index in bytes.indices { bits |= UInt64(bytes[index]) << (index * 8) }
    // Shifting to the left and back extends the sign.
    let signed = Int64(bitPattern: bits << (64 - width)) >> (64 - width)
    guard let integer = Self.isSigned ? Self(exactly: signed) : Self(exactly: bits) else {
      return nil
    }
    self = integer
  }
}

// An optional is an array that is empty or contains the bytes of the value as `Data`, because in a
// property list each nil is "$null".

extension Optional: BytesEncodable where Wrapped: Encodable {
  var storedBytes: [UInt8] {
    get throws(ValueCodingError) {
      guard let self else { return try ValueCoder().encode([Data]()) }
      var bytes = try ValueCoder().encode(self)
      defer { bytes.wipe() }
      return try ValueCoder().encode([Data(bytes)])
    }
  }
}

extension Optional: BytesDecodable where Wrapped: Decodable {
  init?(stored bytes: Span<UInt8>) {
    do throws(ValueCodingError) {
      let elements = try ValueCoder().decode([Data].self, from: bytes)
      if elements.count > 1 { return nil }
      self = try elements.first.map { data throws(ValueCodingError) in
        try ValueCoder().decode(Wrapped.self, from: data.span)
      }
    } catch {
      return nil
    }
  }
}

/// Casts a value to its own type, for which generic code has a different name.
///
/// A dynamic cast takes longer than the rest of decoding a short string, and without inlining, a
/// call from generic code still a third of that time.
@inline(__always)
func identityCast<Value, Target>(_ value: consuming Value, to type: Target.Type) -> Target {
  if Value.self != type { fatalError("\(Value.self) is not \(type).") }
  // The types are equal, so nothing is reinterpreted.
  return unsafe unsafeBitCast(value, to: type)
}
