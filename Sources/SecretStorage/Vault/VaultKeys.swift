/// The table of a vault's keys, and those of them that are in memory.
struct VaultKeys: Sendable {
  var table: KeyTable?
  var ring = KeyRing()
  /// Whether the app locked the vault, so that only the app unlocks it.
  var isLockedByApp = false

  /// A vault that does not exist yet has nothing that could be locked.
  var isUnlocked: Bool { table == nil || ring.user != nil }

  /// Why the vault's items cannot be reached, where they cannot.
  var lockReason: SecretStoreError {
    guard let table, !isLockedByApp, table.hasDevice, !table.hasPassphrase else { return .locked }
    return .otherDevice("The vault")
  }

  /// The key that new secrets of an accessibility are sealed under.
  func secretKey(
    for accessibility: Accessibility
  ) throws(SecretStoreError) -> (id: UInt32, key: Secret) {
    guard let sealed = table?.key(for: .secrets(accessibility)) else {
      throw .unsupported("\(accessibility), as long as the vault has no passphrase")
    }
    guard let key = ring[sealed.id] else {
      throw isUnlocked ? .otherDevice("The key of \(accessibility)") : lockReason
    }
    return (sealed.id, key)
  }

  /// The key that a secret was sealed under.
  func key(of secret: SealedSecret) throws(SecretStoreError) -> Secret {
    if let key = ring[secret.key] { return key }
    let wrappings = KeyPurpose.secrets(secret.accessibility).wrappings
    throw isUnlocked || wrappings == [.device] ? .otherDevice("The item") : lockReason
  }

  /// The key that attributes of items of an accessibility are sealed under.
  func attributesKey(
    for accessibility: Accessibility
  ) throws(SecretStoreError) -> (id: UInt32, key: Secret) {
    guard let sealed = table?.key(for: .attributes(of: accessibility)), let key = ring[sealed.id]
    else { throw lockReason }
    return (sealed.id, key)
  }
}
