/// The layout of a record in the file; see <doc:TheVaultsFormat>.
package enum Frame {
  static let magic: [UInt8] = [0xF5, 0x4C, 0x4B, 0x52]
  static let digestSize = 32
  /// The total size of the magic number, the length, its complement and the digest, in bytes.
  static let overhead = 4 + 4 + 4 + digestSize
  /// The maximum size of a payload, in bytes; the largest item, with its padded secret, is 17 MiB.
  static let payloadLimit = 18 << 20

  package static func encode(_ record: LogRecord, into file: inout [UInt8]) {
    file += magic
    file.append(littleEndian: UInt32(record.payload.count))
    file.append(littleEndian: ~UInt32(record.payload.count))
    file += record.digest
    file += record.payload
  }

  /// Returns the payload length in a frame's header; nil if the header is damaged or incomplete.
  static func payloadCount(in bytes: ArraySlice<UInt8>) -> Int? {
    guard bytes.count >= overhead, bytes.starts(with: magic) else { return nil }
    let count = bytes.littleEndianUInt32(at: bytes.startIndex + 4)
    guard count == ~bytes.littleEndianUInt32(at: bytes.startIndex + 8) else { return nil }
    return Int(count) <= payloadLimit ? Int(count) : nil
  }

  /// Whether bytes are an incomplete frame, as left by an interrupted append.
  static func isBeginning(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard bytes.count >= overhead else {
      return magic.starts(with: bytes.prefix(4)) && hasValidLength(bytes)
    }
    guard let count = payloadCount(in: bytes) else { return false }
    return bytes.count < overhead + count
  }

  /// The size of a disk sector, in bytes; a disk writes a sector atomically.
  private static let sectorSize = 512

  /// Whether bytes at a file offset include a sector of zeros, or a part of one at either end.
  ///
  /// Such a sector was never written to the disk: no record has so many zeros.
  static func isUnwritten(_ bytes: ArraySlice<UInt8>, at offset: Int) -> Bool {
    var rest = bytes
    var position = offset
    while !rest.isEmpty {
      let part = rest.prefix(sectorSize - position % sectorSize)
      // A few zeros may be damage instead.
      if part.count >= 16 || part.count == bytes.count, part.allSatisfy({ $0 == 0 }) { return true }
      rest = rest.dropFirst(part.count)
      position += part.count
    }
    return false
  }

  /// Whether the available bytes of a length's complement match the length.
  private static func hasValidLength(_ bytes: ArraySlice<UInt8>) -> Bool {
    zip(bytes.dropFirst(4).prefix(4), bytes.dropFirst(8).prefix(4)).allSatisfy { $0 == ~$1 }
  }
}

/// A search for intact frames among arbitrary bytes.
///
/// Overlapping frames with wrong digests would take quadratic work. So the number of bytes hashed
/// without success is limited linearly, and the rest counts as damaged.
package struct FrameSearch {
  private let bytes: ArraySlice<UInt8>
  private let cipher: any SecretCipher
  /// The number of bytes that may still be hashed without success.
  private var budget: Int

  package init(_ bytes: ArraySlice<UInt8>, _ cipher: any SecretCipher) {
    self.bytes = bytes
    self.cipher = cipher
    budget = 2 * bytes.count + Frame.payloadLimit
  }

  package var isExhausted: Bool { budget < 0 }

  /// Returns the intact record whose frame begins at an index; nil if there is none.
  package mutating func record(at index: Int) throws(SecretStoreError) -> LogRecord? {
    let frame = bytes[index...]
    guard let count = Frame.payloadCount(in: frame), count <= frame.count - Frame.overhead else {
      return nil
    }
    let payload = frame.dropFirst(Frame.overhead).prefix(count)
    let digest = frame[..<payload.startIndex].suffix(Frame.digestSize)
    if try cipher.digest(payload)[...] == digest {
      return LogRecord(payload: payload, digest: digest)
    }
    budget -= count + Frame.overhead
    return nil
  }

  /// Returns the index of the first intact record at or after `index`; nil if none or exhausted.
  package mutating func nextRecord(from index: Int) throws(SecretStoreError) -> Int? {
    var position = index
    while !isExhausted, let candidate = bytes[position...].firstIndex(of: Frame.magic[0]) {
      if try record(at: candidate) != nil { return candidate }
      position = candidate + 1
    }
    return nil
  }
}

extension ArraySlice<UInt8> {
  func littleEndianUInt32(at index: Int) -> UInt32 {
    UInt32(self[index]) | UInt32(self[index + 1]) << 8 | UInt32(self[index + 2]) << 16
      | UInt32(self[index + 3]) << 24
  }
}
