import StorageInternals

// Encoding and parsing the header of the file and the frames of the records.

/// The encoding of a record in a vault's file; see <doc:TheVaultsFormat>.
enum Frame {
  static let magic: [UInt8] = [0xF5, 0x4C, 0x4B, 0x52]
  static let digestSize = 32
  /// The size of a frame without its payload: magic number, length, complement and digest.
  static let overhead = 4 + 4 + 4 + digestSize
  /// The maximum size of a payload, in bytes; the largest item, with a padded secret, needs 17 MiB.
  static let payloadLimit = 18 << 20

  static func encode(_ record: LogRecord, into file: inout [UInt8]) {
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
    return (RecordHeader.size...payloadLimit).contains(Int(count)) ? Int(count) : nil
  }

  /// Returns whether bytes are an incomplete frame, as left by an interrupted append.
  static func isBeginning(_ bytes: ArraySlice<UInt8>) -> Bool {
    if let count = payloadCount(in: bytes) { return bytes.count < overhead + count }
    // The length must match the available bytes of its complement.
    let lengths = zip(bytes.dropFirst(4).prefix(4), bytes.dropFirst(8).prefix(4))
    return bytes.count < overhead && magic.starts(with: bytes.prefix(4))
      && lengths.allSatisfy { $0 == ~$1 }
  }

  /// Returns the bytes after the last record without the reserve of zeros that may follow them.
  ///
  /// Zeros belong to the reserve unless a frame's header, or its beginning, is right and the frame
  /// includes them.
  static func remains(in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    if isZero(bytes) { return bytes.prefix(0) }
    let written = withoutZeros(bytes)
    let count: Int? =
      if let payload = payloadCount(in: bytes) {
        overhead + payload
      } else if !written.isEmpty, isBeginning(written) {
        overhead + RecordHeader.size
      } else {
        nil
      }
    return bytes.prefix(max(written.count, count ?? 0))
  }

  /// Returns whether remains are the beginning of a frame, whose other bytes are zeros.
  static func isIncomplete(_ remains: ArraySlice<UInt8>) -> Bool {
    let written = withoutZeros(remains)
    // A few zeros may be the end of a damaged frame.
    guard remains.count - written.count >= minimumZeros else { return false }
    return payloadCount(in: remains) != nil || isBeginning(written)
  }

  /// Returns whether all bytes are zeros.
  static func isZero(_ bytes: ArraySlice<UInt8>) -> Bool {
    unsafe bytes.withUnsafeBytes { bytes in
      let wordCount = bytes.count / 8
      for word in 0..<wordCount
      where unsafe bytes.loadUnaligned(fromByteOffset: word * 8, as: UInt64.self) != 0 {
        return false
      }
      return unsafe bytes[(wordCount * 8)...].allSatisfy { $0 == 0 }
    }
  }

  private static func withoutZeros(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    bytes[..<(bytes.lastIndex { $0 != 0 }.map { $0 + 1 } ?? bytes.startIndex)]
  }

  /// The minimum number of successive zeros that no record has, because its content is encrypted.
  private static let minimumZeros = 16
  /// The size of a disk sector, in bytes; a disk writes a sector atomically.
  private static let sectorSize = 512

  /// Returns whether bytes at a file offset include a sector of zeros, or a part of such a sector
  /// at either end, which was never written to the disk, because no record has so many zeros.
  static func isUnwritten(_ bytes: ArraySlice<UInt8>, at offset: Int) -> Bool {
    var rest = bytes
    var position = offset
    while !rest.isEmpty {
      let part = rest.prefix(sectorSize - position % sectorSize)
      // A few zeros at either end may be damage instead.
      if part.count >= minimumZeros || part.count == bytes.count, part.allSatisfy({ $0 == 0 }) {
        return true
      }
      rest = rest.dropFirst(part.count)
      position += part.count
    }
    return false
  }
}

/// The header of a vault's file; see <doc:TheVaultsFormat>.
struct FileHeader {
  static let magic = Array("LocketV\n".utf8)
  static let version: UInt32 = 3
  static let size = 32

  let version: UInt32
  /// The offset of the last frame that was written with the file, or 0; it is not authenticated.
  let lastRecord: Int

  /// Encodes a header with the offset of the last frame that is written with the file, or 0.
  static func encode(
    lastRecord: UInt32 = 0, _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> [UInt8] {
    var header = magic
    header.append(littleEndian: version)
    header.append(littleEndian: lastRecord)
    header += try cipher.digest(header[...]).prefix(size - header.count)
    return header
  }

  /// Decodes the header of a file; returns nil if the header is damaged.
  init?(_ file: ArraySlice<UInt8>, _ cipher: any SecretCipher) throws(SecretStoreError) {
    let header = file.prefix(Self.size)
    guard header.count == Self.size, header.starts(with: Self.magic) else { return nil }
    let fields = header.prefix(Self.magic.count + 8)
    guard try cipher.digest(fields).starts(with: header.dropFirst(fields.count)) else { return nil }
    let start = header.startIndex + Self.magic.count
    version = header.littleEndianUInt32(at: start)
    lastRecord = Int(header.littleEndianUInt32(at: start + 4))
  }
}

extension FileRecordLog {
  func content(of records: [LogRecord]) throws(SecretStoreError) -> [UInt8] {
    var content = try FileHeader.encode(cipher)
    content.reserveCapacity(
      records.reduce(content.count) { $0 + Frame.overhead + $1.payload.count })
    for record in records { Frame.encode(record, into: &content) }
    return content
  }

  /// Parses bytes, the first of which is at an offset of a file; returns the entries, and the index
  /// of their end.
  func parse(
    _ bytes: ArraySlice<UInt8>, at offset: Int, of status: FileStatus,
    _ reader: LogReader? = nil
  ) throws(SecretStoreError) -> (entries: [LogChanges.Entry], end: Int) {
    var entries: [LogChanges.Entry] = []
    var damagedCount = 0
    var position = bytes.startIndex
    var search = FrameSearch(bytes, cipher)
    while position < bytes.endIndex, !Frame.isZero(bytes[position...]) {
      if var record = try search.record(at: position) {
        (record.reader, record.offset) = (reader, offset + record.payload.startIndex)
        entries.append(.record(record))
        position = record.payload.endIndex
        continue
      }
      // The next intact record is searched for, because damage must not hide it.
      damagedCount += 1
      var end: Int? = bytes.endIndex
      if damagedCount <= LogChanges.damageLimit {
        let next = try search.nextRecord(from: position + 1)
        if !search.isExhausted { end = next }
      }
      guard let end else { break }
      let place = "bytes \(offset + position)..<\(offset + end) of \(path)"
      let before = LogPosition(
        offset + position, status, LogSample(bytes, at: position), followedBy: .damage)
      entries.append(.damaged(place, after: before))
      position = end
    }
    return (entries, position)
  }
}

/// A search for intact frames in arbitrary bytes, which hashes a limited multiple of their number,
/// because overlapping frames with wrong digests would otherwise take quadratic time.
struct FrameSearch {
  private let bytes: ArraySlice<UInt8>
  private let cipher: any SecretCipher
  /// The number of bytes that may still be hashed without success.
  private var budget: Int

  init(_ bytes: ArraySlice<UInt8>, _ cipher: any SecretCipher) {
    (self.bytes, self.cipher) = (bytes, cipher)
    budget = 2 * bytes.count + Frame.payloadLimit
  }

  var isExhausted: Bool { budget < 0 }

  mutating func record(at index: Int) throws(SecretStoreError) -> LogRecord? {
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

  mutating func nextRecord(from index: Int) throws(SecretStoreError) -> Int? {
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
