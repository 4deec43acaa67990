/// Returns the size to which data with a byte count is padded, to hide its exact size.
///
/// The size is a multiple of 64. Large sizes follow the Padmé scheme, which adds at most 12
/// percent; see "Reducing Metadata Leakage from Encrypted Files and Communication with PURBs" (PETS
/// 2019).
func paddedSize(for count: Int) -> Int {
  let size = max(count, 64)
  let exponent = Int.bitWidth - 1 - size.leadingZeroBitCount
  let significant = Int.bitWidth - exponent.leadingZeroBitCount
  let mask = max((1 << (exponent - significant)) - 1, 63)
  return (size + mask) & ~mask
}

extension Secret {
  /// The length in 4 bytes, the bytes, and zeros up to the padded size.
  var padded: Secret {
    var length: [UInt8] = []
    length.append(littleEndian: UInt32(count))
    let zeros = repeatElement(UInt8(0), count: paddedSize(for: 4 + count) - 4 - count)
    return Secret(length).followed(by: self).followed(by: Secret(zeros))
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
