import StorageInternals

// Random, sliced, joined and padded secrets.
extension Secret {
  /// Returns at most 256 random bytes from the kernel's generator.
  static func random(_ count: Int) throws(SecretStoreError) -> Secret {
    try unsafe mapErrors(
      Secret(count: count) { buffer throws(SystemError) in try unsafe KernelRandom.fill(buffer) })
  }

  func slice(_ range: some RangeExpression<Int>) -> Secret {
    // The bytes are copied inside the closure, and the subscript checks the range.
    unsafe withUnsafeBytes { unsafe Secret($0[range.relative(to: $0.indices)]) }
  }

  func followed(by other: Secret) -> Secret {
    unsafe Secret(count: count + other.count) { buffer in
      unsafe withUnsafeBytes { one in
        unsafe other.withUnsafeBytes { two in
          let bytes = UnsafeMutableRawBufferPointer(buffer)
          unsafe bytes.copyMemory(from: one)
          unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[one.count...]).copyMemory(from: two)
        }
      }
    }
  }

  /// The length in 4 bytes, the bytes, and zeros up to the padded size.
  var padded: Secret {
    unsafe Secret(count: paddedSize(for: 4 + count)) { buffer in
      unsafe withUnsafeBytes { bytes in
        let padded = UnsafeMutableRawBufferPointer(buffer)
        unsafe padded.storeBytes(of: UInt32(count).littleEndian, as: UInt32.self)
        unsafe UnsafeMutableRawBufferPointer(rebasing: padded[4...]).copyMemory(from: bytes)
      }
    }
  }

  /// The bytes without the length and the padding; nil if the length is invalid.
  var unpadded: Secret? {
    guard count >= 4 else { return nil }
    let length = unsafe withUnsafeBytes {
      Int(UInt32(littleEndian: unsafe $0.loadUnaligned(as: UInt32.self)))
    }
    return length <= count - 4 ? slice(4..<(4 + length)) : nil
  }
}

/// Returns the size to which data of a given size is padded, to hide the exact size.
///
/// It is a multiple of 64. Large sizes follow the Padmé scheme, which adds at most 12 percent; see
/// "Reducing Metadata Leakage from Encrypted Files and Communication with PURBs" (PETS 2019).
func paddedSize(for count: Int) -> Int {
  let size = max(count, 64)
  let exponent = Int.bitWidth - 1 - size.leadingZeroBitCount
  let significant = Int.bitWidth - exponent.leadingZeroBitCount
  let mask = max((1 << (exponent - significant)) - 1, 63)
  return (size + mask) & ~mask
}

extension [UInt8] {
  /// Returns at most 256 random bytes from the kernel's generator.
  static func random(_ count: Int) throws(SecretStoreError) -> [UInt8] {
    try mapErrors(KernelRandom.bytes(count))
  }
}
