import FoundationEssentials

extension [UInt8] {
  mutating func append(littleEndian value: some FixedWidthInteger) {
    // The bytes are copied inside the closure.
    unsafe Swift.withUnsafeBytes(of: value.littleEndian) { unsafe append(contentsOf: $0) }
  }

  /// Appends the number of bytes as a 32-bit integer, and then the bytes.
  mutating func append(counted bytes: some Collection<UInt8>) {
    append(littleEndian: UInt32(bytes.count))
    append(contentsOf: bytes)
  }

  mutating func append(_ id: SecretItem.ID) {
    // The memory of a UUID is its 16 bytes, which are copied inside the closure.
    unsafe Swift.withUnsafeBytes(of: id.uuid.uuid) { unsafe append(contentsOf: $0) }
  }

  /// Appends a text as a section, which is a tag, a byte count and the bytes; ignores nil.
  mutating func append(_ tag: UInt8, _ text: String?) {
    guard let text else { return }
    append(tag)
    append(counted: text.utf8)
  }

  /// Appends a number as a section; ignores nil.
  mutating func append(_ tag: UInt8, _ number: (some FixedWidthInteger)?) {
    guard let number else { return }
    append(tag)
    append(littleEndian: UInt32(number.bitWidth / 8))
    append(littleEndian: number)
  }
}
