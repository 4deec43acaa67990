extension SecretVault {
  /// A slot of a vault, which one key opens.
  public struct Slot: Identifiable, Hashable, Sendable {
    /// The kind of key that opens a slot.
    public enum Kind: Hashable, Sendable {
      /// The device key of one machine.
      case device
      /// A passphrase, with the cost of each unlock.
      case passphrase(ScryptCost)
      /// A key file.
      case keyFile
      /// A systemd credential of a service.
      case credential(named: String)
      /// A recovery code.
      case recoveryCode
      /// A kind that only a newer version knows.
      case unknown(type: UInt8)
    }

    /// The number that identifies the slot within the vault.
    public let id: UInt32
    /// The name of the slot; several slots may have the same name.
    public let name: String
    /// The kind of key that opens the slot.
    public let kind: Kind
  }
}

extension SecretVault.Slot {
  init(_ slot: KeySlot) {
    id = slot.id
    name = slot.name
    kind = slot.kind
  }

  /// Throws ``SecretStoreError/invalid(_:)`` if a name is empty or too long.
  static func check(_ name: String) throws(SecretStoreError) {
    if !(1...200).contains(name.utf8.count) {
      throw .invalid("The name of a slot must have 1 to 200 bytes, not \(name.utf8.count)")
    }
  }
}
