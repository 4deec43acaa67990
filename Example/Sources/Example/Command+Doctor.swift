import SecretStorage

extension Command {
  static let doctor = Command(
    name: "doctor",
    summary: "Says where this program's secrets are, in what state, and what is wrong.",
    options: Option.vaultPlace
  ) { arguments in
    let vault = try arguments.vault()
    let diagnosis = arguments.has(.vault) ? vault.diagnose() : SecretStorage.diagnose()
    try Output.line("\(diagnosis)")
    return diagnosis.isHealthy ? .done : .failed
  }
}
