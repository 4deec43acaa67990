import FoundationEssentials
import KeyValueStorage
import SecretStorage

extension Command {
  static let verify = Command(
    name: "secrets verify",
    summary: "Reads the whole vault, and lists its damage.",
    options: Option.openVault
  ) { arguments in
    let result = try await arguments.unlockedVault().verify()
    let secrets = result.itemCount == 1 ? "1 secret" : "\(result.itemCount) secrets"
    try Output.line("\(secrets), \(result.lockedCount) of them locked")
    if let place = result.interruptedWrite { try Output.line("interrupted write: \(place)") }
    if result.isSound { return .done }
    for place in result.damage { try Output.line("damaged: \(place.onOneLine)") }
    throw Failure("The vault is damaged. `locket secrets repair` keeps the readable items.")
  }

  static let repair = Command(
    name: "secrets repair",
    summary: "Rewrites a damaged vault with its readable items, and keeps the damaged file.",
    options: Option.openVault
  ) { arguments in
    let damage = try await arguments.unlockedVault().repair()
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
    summary: "Accepts that the vault was replaced by another one, or removed, on purpose.",
    options: Option.vaultPlace
  ) { arguments in
    try arguments.vault().acceptReplacement()
    return .done
  }

  static let removeDamaged = Command(
    name: "secrets remove-damaged",
    summary: "Removes the damaged files that repairs kept, which may be the only copies.",
    options: Option.vaultPlace
  ) { arguments in
    let removed = try arguments.vault().removeDamagedCopies()
    for url in removed { try Output.line("removed: \(url.path.onOneLine)") }
    if removed.isEmpty { try Output.line("No repair kept a file, and nothing was removed.") }
    return .done
  }
}

extension Command {
  static let doctor = Command(
    name: "doctor",
    summary: "Shows the places and the problems of this program's secrets and settings.",
    options: Option.vaultPlace
  ) { arguments in
    let vault = try arguments.vault()
    let diagnosis = arguments.has(.vault) ? vault.diagnose() : SecretStores.diagnose()
    try Output.line("\(diagnosis)\n")
    let settings = try arguments.settings()
    do {
      let count = try settings.keys().count
      try Output.line("  Settings  \(settings.name), \(count) of them")
    } catch let error as KeyValueStoreError {
      try Output.line("! Settings  \(error.text(for: arguments))")
      return .failed
    }
    return diagnosis.isHealthy ? .done : .failed
  }
}
