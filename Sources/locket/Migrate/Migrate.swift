import FoundationEssentials
import SecretMigration
import SecretStorage

extension Option {
  fileprivate static let sourcePassphraseFile = Option(
    "source-passphrase-file", "FILE", "a file with the source's passphrase, instead of a prompt")
  fileprivate static let skipUnreadable = Option(
    "skip-unreadable", nil, "skip secrets that cannot be decrypted, instead of failing")
  fileprivate static let removeSource = Option(
    "remove-source", nil, "remove the file if the vault contains all of its secrets")

  fileprivate static let migration = [dryRun, replace, removeSource]
}

extension Command {
  static let migrateLibsecret = migrate(
    "libsecret", from: "a keyring file of libsecret or oo7",
    options: [.sourcePassphraseFile, .skipUnreadable],
    notes: "In a sandbox, the file is $XDG_DATA_HOME/keyrings/default.keyring."
  ) { url, arguments in
    try await .libsecretKeyring(
      at: url, passphrase: arguments.sourcePassphrase(),
      skippingUnreadable: arguments.has(.skipUnreadable))
  }

  static let migrateKeychain = migrate(
    "keychain", from: "an export of an Apple keychain", options: [.sourcePassphraseFile],
    notes: "The documentation of SecretMigration contains code that writes such an export."
  ) { url, arguments in
    try await .keychainExport(at: url, passphrase: arguments.sourcePassphrase())
  }

  static let migrateEnvironment = migrate(
    "env", from: "an .env file", options: [.service],
    notes: "Each variable becomes a secret of the given service, with its name as the account."
  ) { url, arguments in
    guard let service = arguments[.service], !service.isEmpty else {
      throw UsageError("Specify the service of the variables with --service.")
    }
    return try .environmentFile(at: url, service: service)
  }

  private static func migrate(
    _ name: String, from source: String, options: [Option], notes: String,
    reading read: @escaping @Sendable (URL, Arguments) async throws -> ForeignSecrets
  ) -> Command {
    Command(
      name: "migrate \(name)", parameters: [Parameter("FILE", source)],
      summary: "Adds the secrets of \(source).",
      options: options + Option.migration + Option.openVault,
      notes: """
        \(notes)
        Each line contains the outcome for a secret, and the options that select it. If the vault has a
        different secret with these options, it is kept, unless --replace is given. The exit status is 1
        if a secret was refused. Removing a file does not erase it from backups.
        """
    ) { arguments in
      let path = arguments.parameters[0]
      let foreign = try await read(URL(filePath: path), arguments)
      let vault = try await arguments.unlockedVault(mayBeMissing: true)
      let report = try LongOperation.perform("Migrating", cancelledAs: MigrationError.cancelled) {
        progress in
        try foreign.migrate(
          to: vault, replacing: arguments.has(.replace), isDryRun: arguments.has(.dryRun),
          removingSource: arguments.has(.removeSource), reporting: progress)
      }
      try show(report, foreign.unreadable, arguments)
      let isRefusing = report.entries.contains(where: \.outcome.isRefusal)
      return isRefusing && !arguments.has(.dryRun) ? .refused : .done
    }
  }

  private static func show(
    _ report: ImportReport, _ unreadable: [ForeignSecrets.Unreadable], _ arguments: Arguments
  ) throws {
    for entry in report.entries {
      let outcome = entry.outcome.text(replacing: arguments.has(.replace))
      try Output.line("\(outcome): \(entry.identity.options)")
    }
    for skipped in unreadable {
      try Output.line("skipped: \(skipped.position) (\(skipped.reason))".onOneLine)
    }
    guard arguments.has(.removeSource), !arguments.has(.dryRun) else { return }
    try Output.line(
      report.isSourceRemoved
        ? "The file was removed."
        : "The file was kept, because the vault does not contain all of its secrets.")
  }
}

extension Arguments {
  fileprivate func sourcePassphrase() async throws -> Secret {
    try await passphrase(in: .sourcePassphraseFile, prompt: "Passphrase of the source: ")
  }
}
