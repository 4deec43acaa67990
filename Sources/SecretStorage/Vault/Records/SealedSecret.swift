/// The sealed secret of an item; with access flags, its content is a ``ConstrainedSecret``.
struct SealedSecret: Sendable {
  /// The item's revision when the secret was sealed.
  let revision: UInt64
  /// The identifier of the key under which the secret is sealed.
  let key: UInt32
  let accessibility: Accessibility
  /// The item's access flags, which have not changed since the secret was sealed.
  let flags: AccessFlags
  let salt: ArraySlice<UInt8>
  var content: SealedContent

  private static let purpose = "locket secret"

  /// Seals a secret for an item, with padding that hides its length.
  static func seal(
    _ secret: Secret, of item: SecretItem.ID, revision: UInt64, _ access: AccessControl,
    under key: TableKey, by sealer: VaultSealer
  ) throws(SecretStoreError) -> SealedSecret {
    let padded = secret.padded
    let salt = try sealer.cipher.salt(for: padded, under: key.secret, sequence: revision)
    var sealed = SealedSecret(
      revision: revision, key: key.id, accessibility: access.accessibility, flags: access.flags,
      salt: salt[...], content: .memory([]))
    let bytes = try sealer.seal(
      padded, under: key.secret, salt: salt[...], purpose: purpose,
      authenticating: sealed.context(of: item, in: sealer.vaultID))
    sealed.content = .memory(bytes[...])
    return sealed
  }

  func recordKey(from key: Secret, _ cipher: any SecretCipher) throws(SecretStoreError) -> Secret {
    try cipher.deriveKey(from: key, salt: salt, purpose: Self.purpose)
  }

  func open(
    of item: SecretItem.ID, with recordKey: Secret, by sealer: VaultSealer
  ) throws(SecretStoreError) -> Secret {
    let padded = try sealer.cipher.open(
      content.bytes(), with: recordKey, authenticating: context(of: item, in: sealer.vaultID))
    guard let secret = padded.unpadded else { throw .corrupted("A secret is malformed") }
    return secret
  }

  /// Returns the authenticated context, which prevents the use of the secret for another item.
  private func context(of item: SecretItem.ID, in vaultID: [UInt8]) -> [UInt8] {
    var context: [UInt8] = []
    context.reserveCapacity(64)
    context += vaultID
    context.append(item)
    context.append(littleEndian: revision)
    context.append(littleEndian: key)
    context.append(accessibility.rawValue)
    if !flags.isEmpty { context.append(littleEndian: flags.rawValue) }
    return context
  }
}

extension Secret {
  /// The length of this secret in 4 bytes, its bytes, and zeros up to the padded size.
  fileprivate var padded: Secret {
    unsafe Secret(count: paddedSize(for: 4 + count)) { buffer in
      unsafe UnsafeMutableRawBufferPointer(buffer)
        .storeBytes(of: UInt32(count).littleEndian, as: UInt32.self)
      unsafe copy(to: buffer, at: 4)
    }
  }

  /// The bytes of this padded secret without length and padding; nil if the length is invalid.
  fileprivate var unpadded: Secret? {
    guard count >= 4 else { return nil }
    let length = unsafe withUnsafeBytes {
      Int(UInt32(littleEndian: unsafe $0.loadUnaligned(as: UInt32.self)))
    }
    return length <= count - 4 ? slice(4..<(4 + length)) : nil
  }
}

/// Returns the size to which data of a given size is padded, to hide the exact size.
///
/// The result is a multiple of 64. Large sizes follow the Padmé scheme, adding at most 12 %; see
/// "Reducing Metadata Leakage from Encrypted Files and Communication with PURBs" (PETS 2019).
func paddedSize(for count: Int) -> Int {
  let size = max(count, 64)
  let exponent = Int.bitWidth - 1 - size.leadingZeroBitCount
  let significant = Int.bitWidth - exponent.leadingZeroBitCount
  let mask = max((1 << (exponent - significant)) - 1, 63)
  return (size + mask) & ~mask
}
