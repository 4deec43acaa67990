import FoundationEssentials
import SecretStorage
import ValueFormats

extension Command {
  static let verify = Command(
    name: "secrets verify",
    summary: "Reads the whole vault, and lists damaged parts.",
    options: Option.openVault,
    fields: [
      Field("secrets", "the number of secrets"), Field("locked", "the number of locked ones"),
      Field("interrupted", "the place of an interrupted write"),
      Field("damaged", "a damaged place"),
    ]
  ) { arguments in
    let result = try await arguments.unlockedVault().verify()
    let secrets = result.itemCount == 1 ? "1 secret" : "\(result.itemCount) secrets"
    try arguments.list(
      "\(secrets), \(result.lockedCount) locked",
      [("secrets", .integer(result.itemCount)), ("locked", .integer(result.lockedCount))])
    if let place = result.interruptedWrite {
      try arguments.list("interrupted write: \(place)", [("interrupted", .string("\(place)"))])
    }
    if result.isSound { return .done }
    for place in result.damage {
      try arguments.list("damaged: \(place.onOneLine)", [("damaged", .string(place))])
    }
    throw Failure("The vault is damaged. `locket secrets repair` keeps the readable items.")
  }

  static let repair = Command(
    name: "secrets repair",
    summary: "Rewrites a damaged vault with its readable items, and keeps the damaged file.",
    options: Option.openVault
  ) { arguments in
    let damage = try await arguments.unlockedVault().repair()
    if damage.isEmpty { try Output.line("Nothing is damaged. Nothing was changed.") }
    for place in damage { try Output.line("was damaged: \(place.onOneLine)") }
    return .done
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
      try body(arguments.vault())
      return .done
    }
  }

  static let doctor = Command(
    name: "doctor",
    summary: "Shows the files of an app's secrets and settings, and their problems.",
    options: [.store] + Option.vaultPlace
      + Option.settingsLayers.filter { !Option.vaultPlace.contains($0) },
    fields: [
      Field("subject", "what was examined"),
      Field("text", "the result; for a problem, also the remedy"),
      Field("key", "the key of a setting that does not come from the first file"),
      Field("isProblem", "whether it is a problem"),
    ],
    notes: """
      With --etcd, the members of the cluster, their revisions, the leader and the watch are shown instead
      of files; with --store desktop, the daemon of the desktop's keyring with its keyrings and their
      locks instead of the vault.

      Of several layers of settings, the files are shown in order, then each key whose value does not
      come from the first file, with its place, and the variables that set no setting. Values are not
      shown.

      \(layerNotes)
      """
  ) { arguments in
    let keyring = try arguments.keyring(excluding: Option.vaultPlace.filter { $0 != .app })
    let store: any SecretStore = if let keyring { keyring } else { try arguments.vault() }
    // With --etcd, the prefix is that of the vault.
    let layers = arguments.has(.etcd) ? nil : try arguments.layeredSettings()
    let diagnosis = Diagnosis(of: store)
    if arguments.has(.json) {
      for finding in diagnosis.findings {
        try arguments.listFinding("", finding.subject, finding.text, isProblem: finding.isProblem)
      }
    } else {
      try Output.line("\(diagnosis)\n")
    }
    let isReadable = try layers.map(arguments.printFiles) ?? true
    return isReadable && diagnosis.isHealthy ? .done : .failed
  }
}

extension Arguments {
  /// Prints a finding of the doctor as text or as an object.
  func listFinding(
    _ line: String, _ subject: String, _ text: String, key: String? = nil, isProblem: Bool = false
  ) throws {
    try list(
      line,
      [
        ("subject", .string(subject)), ("key", .text(key)), ("text", .string(text)),
        ("isProblem", .bool(isProblem)),
      ])
  }
}
