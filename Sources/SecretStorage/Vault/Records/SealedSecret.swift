/// The sealed secret of an item; with access flags, its content is a ``ConstrainedSecret``.
struct SealedSecret: Sendable {
  /// The item's revision when the secret was sealed.
  let revision: UInt64
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

  /// Derives the key of this secret from the key of its accessibility.
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
