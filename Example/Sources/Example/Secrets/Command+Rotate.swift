import SecretStorage

extension Option {
  fileprivate static let dropOthers = Option(
    "drop-others", nil, "remove the slots whose key is not given, instead of refusing")
}

extension Command {
  static let rotate = Command(
    name: "secrets rotate",
    summary:
      "Gives the vault new keys, and seals every secret anew; goes on if it was interrupted.",
    options: [.dropOthers] + Option.openVault,
    notes: """
      A slot is kept if its key is given or at hand: this device's and systemd's credentials are, a
      passphrase is asked for.
      """
  ) { arguments in
    let vault = try arguments.vault()
    let keys = try arguments.keysOfSlots(of: vault)
    if try vault.isLocked { try vault.unlock(withAnyOf: keys) }
    try LongWork.perform("Rotating") { report throws(SecretStoreError) in
      try vault.rotateKeys(
        keeping: keys, removingOtherSlots: arguments.has(.dropOthers), reporting: report)
    }
    return .done
  }
}
