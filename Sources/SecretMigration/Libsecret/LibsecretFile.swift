/// A parsed keyring file of libsecret, the GVariant `(uayutua(a{say}ay))`; its items are encrypted.
struct LibsecretFile {
  /// An encrypted item.
  struct Item {
    /// The HMAC-SHA-256 of the value of each attribute, by the name of the attribute.
    let hashes: [String: [UInt8]]
    let ciphertext: ArraySlice<UInt8>
    let initialization: ArraySlice<UInt8>
    let code: ArraySlice<UInt8>
  }

  static let iterations = 1...10_000_000
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
          the version of the keyring is \(version.map(String.init).joined(separator: ".")); only 1.0, \
          the version of libsecret and oo7, is supported
          """)
    }
    do throws(MalformedVariant) {
      let reader = VariantReader(bytes[(Self.magic.count + 2)...])
      let (ends, body) = try reader.members(1, of: reader.whole)
      let salt = try reader.range(4, ends[0], in: body)
      guard try Int(reader.number(at: 0, size: 4, in: body)) == salt.count else {
        throw MalformedVariant()
      }
      let count = VariantReader<ArraySlice<UInt8>>.aligned(salt.upperBound, to: 4)
      iterations = Int(try reader.number(at: count, size: 4, in: body))
      let modified = VariantReader<ArraySlice<UInt8>>.aligned(count + 4, to: 8)
      let items = try reader.range(modified + 12, body.upperBound, in: body)
      self.salt = reader.slice(salt)
      self.items = try reader.elements(of: items).prefix(ForeignSecrets.countLimit + 1).map {
        element throws(MalformedVariant) in try Item(element, in: reader)
      }
    } catch {
      throw .malformed(path: path, reason: "it is truncated, or a length is wrong")
    }
    try ForeignSecrets.checkCount(items.count, of: path)
    guard Self.iterations.contains(iterations) else {
      throw .unsupported(path: path, reason: "the iteration count is not in \(Self.iterations)")
    }
    guard (8...1024).contains(salt.count) else {
      throw .unsupported(path: path, reason: "the salt does not have 8 to 1024 bytes")
    }
  }
}

extension LibsecretFile.Item {
  private static let blockCount = 16
  private static let codeCount = 32

  /// Parses the GVariant `(a{say}ay)`.
  fileprivate init(
    _ element: Range<Int>, in reader: VariantReader<ArraySlice<UInt8>>
  ) throws(MalformedVariant) {
    let (ends, body) = try reader.members(1, of: element)
    var hashes: [String: [UInt8]] = [:]
    for entry in try reader.elements(of: reader.range(body.lowerBound, ends[0], in: body)) {
      let (ends, body) = try reader.members(1, of: entry)
      let name = try reader.text(reader.range(body.lowerBound, ends[0], in: body))
      let hash = Array(reader.slice(try reader.range(ends[0], body.upperBound, in: body)))
      guard hash.count == Self.codeCount, hashes.updateValue(hash, forKey: name) == nil else {
        throw MalformedVariant()
      }
    }
    self.hashes = hashes
    let blob = reader.slice(try reader.range(ends[0], body.upperBound, in: body))
    let count = blob.count - Self.blockCount - Self.codeCount
    guard count > 0, count % Self.blockCount == 0 else { throw MalformedVariant() }
    ciphertext = blob.prefix(count)
    initialization = blob.dropFirst(count).prefix(Self.blockCount)
    code = blob.suffix(Self.codeCount)
  }
}
