import FoundationEssentials

extension [UInt8] {
  mutating func append(littleEndian value: some FixedWidthInteger) {
    // `littleEndian` fixes the byte order; the bytes are copied inside the closure.
    unsafe Swift.withUnsafeBytes(of: value.littleEndian) { unsafe append(contentsOf: $0) }
  }

  mutating func append(counted bytes: some Collection<UInt8>) {
    append(littleEndian: UInt32(bytes.count))
    append(contentsOf: bytes)
  }

  mutating func append(_ id: SecretItem.ID) {
    // A UUID is 16 contiguous bytes.
    unsafe Swift.withUnsafeBytes(of: id.uuid.uuid) { unsafe append(contentsOf: $0) }
  }

  /// Appends a text, or nothing if it is nil, as a section: a tag, a byte count and the bytes.
  mutating func append(_ tag: UInt8, _ text: String?) {
    guard let text else { return }
    append(tag)
    append(counted: text.utf8)
  }

  /// Appends a number, or nothing if it is nil, as a section.
  mutating func append(_ tag: UInt8, _ number: (some FixedWidthInteger)?) {
    guard let number else { return }
    append(tag)
    append(littleEndian: UInt32(number.bitWidth / 8))
    append(littleEndian: number)
  }
}
