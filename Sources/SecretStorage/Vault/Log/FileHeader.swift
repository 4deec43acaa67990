/// The header of a vault's file; see <doc:TheVaultsFormat>.
enum FileHeader {
  static let magic = Array("LocketV\n".utf8)
  static let version: UInt32 = 2
  /// The size of the header, in bytes.
  static let size = 32

  /// Returns a header with the offset of the last frame written by a compaction, or 0 without one.
  static func encode(
    lastRecord: UInt32 = 0, _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> [UInt8] {
    var header = magic
    header.append(littleEndian: version)
    header.append(littleEndian: lastRecord)
    header += try cipher.digest(header[...]).prefix(size - header.count)
    return header
  }

  enum Reading {
    case current
    case newer(UInt32)
    case damaged
  }

  static func read(
    _ file: ArraySlice<UInt8>, _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> Reading {
    let header = file.prefix(size)
    guard header.count == size, header.starts(with: magic) else { return .damaged }
    let fields = header.prefix(magic.count + 8)
    guard try cipher.digest(fields).starts(with: header.dropFirst(fields.count)) else {
      return .damaged
    }
    let version = header.littleEndianUInt32(at: header.startIndex + magic.count)
    return version > Self.version ? .newer(version) : .current
  }

  /// Returns the offset of the last frame written by a compaction, if any.
  ///
  /// Nothing authenticates the offset.
  static func lastRecord(in header: [UInt8]) -> Int? {
    guard header.count == size, header.starts(with: magic) else { return nil }
    let offset = Int(header[...].littleEndianUInt32(at: magic.count + 4))
    return offset < size ? nil : offset
  }
}
