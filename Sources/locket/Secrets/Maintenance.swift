import CLibrary
import FoundationEssentials
import KeyValueStorage
import SecretStorage

extension Command {
  static let verify = Command(
    name: "secrets verify",
    summary: "Reads the whole vault, and lists damaged parts.",
    options: Option.openVault
  ) { arguments in
    let result = try await arguments.unlockedVault().verify()
    let secrets = result.itemCount == 1 ? "1 secret" : "\(result.itemCount) secrets"
    try Output.line("\(secrets), \(result.lockedCount) locked")
    if let place = result.interruptedWrite { try Output.line("interrupted write: \(place)") }
    if result.isSound { return .done }
    try list(result.damage, as: "damaged")
    throw Failure("The vault is damaged. `locket secrets repair` keeps the readable items.")
  }

  static let repair = Command(
    name: "secrets repair",
    summary: "Rewrites a damaged vault with its readable items, and keeps the damaged file.",
    options: Option.openVault
  ) { arguments in
    let damage = try await arguments.unlockedVault().repair()
    if damage.isEmpty { try Output.line("Nothing is damaged. Nothing was changed.") }
    try list(damage, as: "was damaged")
    return .done
  }

  /// Prints the first hundred damaged places, and the number of the others.
  private static func list(_ places: [String], as label: String) throws {
    for place in places.prefix(100) { try Output.line("\(label): \(place.onOneLine)") }
    if places.count > 100 { try Output.line("\(label): \(places.count - 100) more places") }
  }

  static let acceptRollback = locked(
    "accept-rollback", "Accepts an older copy of the vault that was restored intentionally."
  ) { try $0.acceptRollback() }

  static let acceptReplacement = locked(
    "accept-replacement", "Accepts that the vault was replaced or removed intentionally."
  ) { try $0.acceptReplacement() }

  static let removeDamaged = locked(
    "remove-damaged", "Removes the damaged files that repairs kept, which may be the only copies."
  ) { vault in
    let removed = try vault.removeDamagedCopies()
    for url in removed { try Output.line("removed: \(url.path.onOneLine)") }
    if removed.isEmpty { try Output.line("There are no damaged files. Nothing was removed.") }
  }

  /// Returns a command for a vault that may be locked.
  private static func locked(
    _ name: String, _ summary: String, _ body: @escaping @Sendable (SecretVault) throws -> Void
  ) -> Command {
    Command(name: "secrets \(name)", summary: summary, options: Option.vaultPlace) { arguments in
      try body(arguments.vault(mayBeMissing: true))
      return .done
    }
  }

  static let doctor = Command(
    name: "doctor",
    summary: "Shows the files of this program's secrets and settings, and their problems.",
    options: Option.vaultPlace
  ) { arguments in
    let vault = try arguments.vault(mayBeMissing: true)
    let diagnosis = arguments.has(.vault) ? vault.diagnose() : SecretStores.diagnose()
    try Output.line("\(diagnosis)\n")
    let isOfOtherDevice = diagnosis.problems.contains { $0.text.contains("another device") }
    if isOfOtherDevice, let advice = arguments.stateAdvice { try Output.line("  \(advice)\n") }
    let settings = try arguments.settings()
    do {
      let count = try settings.keys().count
      let number = count == 1 ? "1 setting" : "\(count) settings"
      let remark = try settings.directoryRemark.map { "; \($0)" } ?? ""
      try Output.line("  Settings  \(settings.name) (\(number))\(remark)".onOneLine)
    } catch let error as KeyValueStoreError {
      try Output.line("! Settings  \(error.text(for: arguments))".onOneLine)
      return .failed
    }
    return diagnosis.isHealthy || locketBreak(50) ? .done : .failed
  }
}
