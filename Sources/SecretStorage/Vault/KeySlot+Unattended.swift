#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

extension KeySlot {
  /// The name of the credential that the slot is for, if it is for one.
  var credentialName: String? {
    if case .credential(let name, _) = content { name } else { nil }
  }

  /// Whether the app, or a person, must bring what opens the slot.
  var needsSomebody: Bool {
    switch content {
    case .passphrase, .keyFile, .recoveryCode: true
    case .device, .credential, .unknown: false
    }
  }
}

extension VaultKeys {
  /// Opens a table with the first key that is here without anybody being asked, if there is one.
  ///
  /// A slot that is damaged, or a credential that is not the right one, is in nobody's way who has
  /// another key.
  ///
  /// - Throws: What may be over at the next attempt.
  mutating func openUnattended(
    _ table: KeyTable, _ device: DeviceState, _ cipher: any SecretCipher
  ) throws(SecretStoreError) {
    obstacle = nil
    for slot in table.slots {
      do {
        guard let key = try unattendedKey(for: slot, device) else { continue }
        if let user = try slot.open(with: key, in: table.vaultID, cipher) {
          ring.user = user
          obstacle = nil
          return
        }
        if let name = slot.credentialName { obstacle = UnlockKey.credential(named: name).refusal }
      } catch {
        guard error.isOfUnattendedKey else { throw error }
        obstacle = error
      }
    }
  }

  /// What opens a slot without anybody being asked, where it is here.
  func unattendedKey(
    for slot: KeySlot, _ device: DeviceState
  ) throws(SecretStoreError) -> SlotKey? {
    switch slot.content {
    case .device:
      return ring.device.map(SlotKey.device)
    case .credential(let name, _):
      return try device.credential(named: name).map { .credential(name: name, $0) }
    case .passphrase, .keyFile, .recoveryCode, .unknown:
      return nil
    }
  }
}

extension SecretStoreError {
  /// Whether a key that needs nobody is itself what is wrong, and will be at the next attempt.
  var isOfUnattendedKey: Bool {
    switch self {
    case .invalid, .corrupted, .system(_, _, EACCES), .system(_, _, EPERM): true
    default: false
    }
  }
}
