import SecretStorage

extension Command {
  static let verify = Command(
    name: "secrets verify",
    summary: "Reads the whole vault, and names what is damaged.",
    options: Option.openVault
  ) { arguments in
    let result = try arguments.unlockedVault().verify()
    let secrets = result.itemCount == 1 ? "1 secret" : "\(result.itemCount) secrets"
    try Output.line("\(secrets), \(result.lockedCount) of them locked")
    if let place = result.interruptedWrite { try Output.line("interrupted write: \(place)") }
    if result.isSound { return .done }
    for place in result.damage { try Output.line("damaged: \(place.onOneLine)") }
    throw Failure("The vault is damaged. `Example secrets repair` saves what is left.")
  }

  static let repair = Command(
    name: "secrets repair",
    summary: "Writes what can be read of a damaged vault anew, and keeps the damaged file.",
    options: Option.openVault
  ) { arguments in
    let damage = try arguments.unlockedVault().repair()
    if damage.isEmpty { try Output.line("Nothing is damaged, and nothing was changed.") }
    for place in damage { try Output.line("was damaged: \(place.onOneLine)") }
    return .done
  }

  static let acceptRollback = Command(
    name: "secrets accept-rollback",
    summary: "Accepts an older copy of the vault that was put back on purpose.",
    options: Option.vaultPlace
  ) { arguments in
    try arguments.vault().acceptRollback()
    return .done
  }

  static let acceptReplacement = Command(
    name: "secrets accept-replacement",
    summary: "Accepts another vault that was put in the vault's place on purpose.",
    options: Option.vaultPlace
  ) { arguments in
    try arguments.vault().acceptReplacement()
    return .done
  }
}
