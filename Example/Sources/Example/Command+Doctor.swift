import KeyValueStorage
import SecretStorage

extension Command {
  static let doctor = Command(
    name: "doctor",
    summary: "Says where this program's secrets and settings are, and what is wrong with them.",
    options: Option.vaultPlace
  ) { arguments in
    let vault = try arguments.vault()
    let diagnosis = arguments.has(.vault) ? vault.diagnose() : SecretStorage.diagnose()
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
