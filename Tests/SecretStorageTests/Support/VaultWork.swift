@testable import SecretStorage

/// A kind of work that writes to a vault, or copies its secrets.
///
/// All succeed, in the order of the cases, on an unlocked vault with the item `a`.
enum VaultWork: CaseIterable {
  case add, change, compact, rotateKeys, setPassphrase, removePassphrase, addSlot, renameSlot
  case removeSlot, addRecoveryCode, export, importItems, remove

  func perform(on object: SecretVault, of vault: TestVault) throws {
    switch self {
    case .add: try object.add("new", account: "new")
    case .change: try object.change("a", to: "changed")
    case .compact: try object.compact()
    case .rotateKeys: try object.rotate()
    case .setPassphrase: try object.setPassphrase(TestVault.passphrase, cost: .cheap)
    case .removePassphrase: try object.removePassphrase()
    case .addSlot: try object.addSlot(.passphrase("other"), named: "other", cost: .cheap)
    case .renameSlot: try object.renameSlot(object.slots[0].id, to: "renamed")
    case .removeSlot: try object.removeSlot(object.slots.last?.id ?? 0)
    case .addRecoveryCode: _ = try object.addRecoveryCode(named: "code")
    case .export: try object.export(of: vault, overwriting: true)
    case .importItems: try object.importItems(of: vault)
    case .remove: try object.remove("a")
    }
  }
}
