/// A key of the key table, sealed under one or more outer keys.
struct SealedKey: Sendable {
  struct Copy: Sendable {
    let wrapping: KeyWrapping
    let salt: ArraySlice<UInt8>
    let sealed: ArraySlice<UInt8>
  }

  let id: UInt32
  let purpose: KeyPurpose
  var copies: [Copy]

  private static let derivationPurpose = "locket key"
  /// The maximum number of copies: one under each wrapping.
  private static let copyLimit = 3
  private static let saltSizes = VaultSealer.saltSize...VaultSealer.saltSize
  private static let sealedSizes = (32 + VaultSealer.tagSize)...(32 + VaultSealer.tagSize)
}

extension SealedKey {
  /// Opens a copy; returns nil if it is sealed under another key.
  func open(
    _ copy: Copy, with outer: Secret, by sealer: VaultSealer
  ) throws(SecretStoreError) -> Secret? {
    try sealer.open(
      copy.sealed, under: outer, salt: copy.salt, purpose: Self.derivationPurpose,
      authenticating: context(in: sealer.vaultID, copy.wrapping))
  }

  func isOfDevice(_ secret: Secret?, by sealer: VaultSealer) throws(SecretStoreError) -> Bool {
    guard let secret else { return false }
    for copy in copies where copy.wrapping == .device {
      if try open(copy, with: secret, by: sealer) != nil { return true }
    }
    return false
  }

  func seal(
    _ secret: Secret, as wrapping: KeyWrapping, under outer: Secret, by sealer: VaultSealer
  ) throws(SecretStoreError) -> Copy {
    let salt = try sealer.cipher.salt(for: secret, under: outer, sequence: UInt64(id))
    let sealed = try sealer.seal(
      secret, under: outer, salt: salt[...], purpose: Self.derivationPurpose,
      authenticating: context(in: sealer.vaultID, wrapping))
    return Copy(wrapping: wrapping, salt: salt[...], sealed: sealed[...])
  }

  private func context(in vaultID: [UInt8], _ wrapping: KeyWrapping) -> [UInt8] {
    var context = vaultID
    context.append(littleEndian: id)
    context.append(purpose.code)
    context.append(wrapping.rawValue)
    return context
  }

  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: id)
    bytes.append(purpose.code)
    for copy in copies {
      bytes.append(copy.wrapping.rawValue)
      bytes.append(counted: copy.salt)
      bytes.append(counted: copy.sealed)
    }
    return bytes
  }

  /// Decodes a key; returns nil if its purpose or a wrapping is of a newer version.
  init?(decoding bytes: ArraySlice<UInt8>) throws(MalformedRecord) {
    var reader = RecordReader(bytes)
    id = try reader.integer()
    guard let purpose = KeyPurpose(code: try reader.integer()) else { return nil }
    self.purpose = purpose
    copies = []
    while !reader.isAtEnd {
      guard let wrapping = KeyWrapping(rawValue: try reader.integer()) else { return nil }
      guard copies.count < Self.copyLimit else { throw MalformedRecord() }
      copies.append(
        Copy(
          wrapping: wrapping, salt: try reader.countedBytes(Self.saltSizes),
          sealed: try reader.countedBytes(Self.sealedSizes)))
    }
  }
}
