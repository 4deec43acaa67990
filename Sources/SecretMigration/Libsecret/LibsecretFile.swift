import ValueFormats

/// A parsed keyring file of libsecret, the GVariant `(uayutua(a{say}ay))`; its items are encrypted.
struct LibsecretFile {
  struct Item {
    /// The HMAC-SHA-256 of the value of each attribute, by the name of the attribute.
    let hashes: [String: ArraySlice<UInt8>]
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
      let (ends, body) = try bytes[(Self.magic.count + 2)...].members(ends: 1)
      salt = try body.part(4, ends[0])
      guard try Int(body.integer(at: 0, size: 4)) == salt.count else { throw .malformedVariant }
      let iterationsOffset = ends[0].aligned(to: 4)
      iterations = Int(try body.integer(at: iterationsOffset, size: 4))
      // The date of the last change and a counter precede the items.
      let itemsOffset = (iterationsOffset + 4).aligned(to: 8) + 12
      let items = try body.part(itemsOffset, body.count).elements()
      self.items = try items.prefix(ForeignSecrets.countLimit + 1).map {
        element throws(FormatError) in try Item(element)
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

  fileprivate init(_ element: ArraySlice<UInt8>) throws(FormatError) {
    let (ends, body) = try element.members(ends: 1)
    hashes = try body.part(0, ends[0]).entries()
    let blob = try body.part(ends[0], body.count)
    let count = blob.count - Self.blockSize - Self.codeSize
    guard count > 0, count % Self.blockSize == 0,
      hashes.values.allSatisfy({ $0.count == Self.codeSize })
    else { throw .malformedVariant }
    ciphertext = blob.prefix(count)
    initializationVector = blob.dropFirst(count).prefix(Self.blockSize)
    authenticationCode = blob.suffix(Self.codeSize)
  }
}
