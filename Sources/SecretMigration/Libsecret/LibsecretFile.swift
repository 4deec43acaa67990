import ValueFormats

/// A parsed keyring file of libsecret, the GVariant `(uayutua(a{say}ay))`; its items are encrypted.
struct LibsecretFile {
  struct Item {
    /// The HMAC-SHA-256 of the value of each attribute, by the name of the attribute.
    let hashes: [String: [UInt8]]
    let ciphertext: ArraySlice<UInt8>
    let initializationVector: ArraySlice<UInt8>
    let authenticationCode: ArraySlice<UInt8>
  }

  static let supportedIterations = 1...10_000_000
  private static let magic = Array("GnomeKeyring\n\r\0\n".utf8)

  let salt: ArraySlice<UInt8>
  let iterations: Int
  let items: [Item]

  init(_ bytes: [UInt8], of path: String) throws(MigrationError) {
    guard bytes.starts(with: Self.magic), bytes.count >= Self.magic.count + 2 else {
      throw .malformed(path: path, reason: "it is not a keyring file")
    }
    let version = bytes[Self.magic.count..<Self.magic.count + 2]
    guard version == [1, 0] else {
      throw .unsupported(
        path: path,
        reason: """
          the keyring has version \(version.map(String.init).joined(separator: ".")); only version \
          1.0, which libsecret and oo7 use, is supported
          """)
    }
    do throws(FormatError) {
      let reader = VariantReader(bytes[(Self.magic.count + 2)...])
      let (ends, body) = try reader.members(1, of: reader.fullRange)
      let salt = try reader.range(4, ends[0], in: body)
      guard try Int(reader.integer(at: 0, size: 4, in: body)) == salt.count else {
        throw .malformedVariant
      }
      let iterationsOffset = VariantReader<ArraySlice<UInt8>>.aligned(salt.upperBound, to: 4)
      iterations = Int(try reader.integer(at: iterationsOffset, size: 4, in: body))
      let dateOffset = VariantReader<ArraySlice<UInt8>>.aligned(iterationsOffset + 4, to: 8)
      let items = try reader.range(dateOffset + 12, body.upperBound, in: body)
      self.salt = reader.slice(salt)
      self.items = try reader.elements(of: items).prefix(ForeignSecrets.countLimit + 1).map {
        element throws(FormatError) in try Item(element, in: reader)
      }
    } catch {
      throw .malformed(path: path, reason: error.reason)
    }
    try ForeignSecrets.checkCount(items.count, of: path)
    guard Self.supportedIterations.contains(iterations) else {
      throw .unsupported(
        path: path, reason: "the iteration count is outside \(Self.supportedIterations)")
    }
    guard (8...1024).contains(salt.count) else {
      throw .unsupported(path: path, reason: "the salt is not 8 to 1024 bytes long")
    }
  }
}

extension LibsecretFile.Item {
  private static let blockSize = 16
  private static let codeSize = 32

  fileprivate init(
    _ element: Range<Int>, in reader: VariantReader<ArraySlice<UInt8>>
  ) throws(FormatError) {
    let (ends, body) = try reader.members(1, of: element)
    var hashes: [String: [UInt8]] = [:]
    for entry in try reader.elements(of: reader.range(body.lowerBound, ends[0], in: body)) {
      let (ends, body) = try reader.members(1, of: entry)
      let name = try reader.string(reader.range(body.lowerBound, ends[0], in: body))
      let hash = Array(reader.slice(try reader.range(ends[0], body.upperBound, in: body)))
      guard hash.count == Self.codeSize, hashes.updateValue(hash, forKey: name) == nil else {
        throw .malformedVariant
      }
    }
    self.hashes = hashes
    let blob = reader.slice(try reader.range(ends[0], body.upperBound, in: body))
    let count = blob.count - Self.blockSize - Self.codeSize
    guard count > 0, count % Self.blockSize == 0 else { throw .malformedVariant }
    ciphertext = blob.prefix(count)
    initializationVector = blob.dropFirst(count).prefix(Self.blockSize)
    authenticationCode = blob.suffix(Self.codeSize)
  }
}
