import CLibrary
import FoundationEssentials
import SecretMigration
import SecretStorage

// Exports, imports and migrations.
extension Job {
  private static let passphrase = Secret("The Valley Wind".utf8)

  /// `rounds file`: repeatedly exports to the file, and logs each step.
  func export(_ vault: SecretVault) throws {
    let target = URL(filePath: try parameter(1))
    try repeating(parameter: 0) { round in
      _ = try Self.journal("export", "\(round)") {
        try vault.export(
          to: target, passphrase: Self.passphrase, cost: .minimum, overwriting: true,
          reporting: Self.journalProgress)
      }
    }
  }

  /// `file`: imports from the file, logs each step, and waits for a signal.
  func importItems(to vault: SecretVault) throws {
    let source = URL(filePath: try parameter(0))
    _ = try Self.journal("import", "all") {
      try vault.importItems(
        from: source, passphrase: Self.passphrase, replacing: true,
        reporting: Self.journalProgress)
    }
    // The process that kills this one may come late.
    while true { pause() }
  }

  /// `file [permission]`: migrates the variables of an `.env` file, once, prints a line, waits for
  /// the file `permission` if there is one, and removes the source.
  func migrate(to vault: SecretVault) throws {
    let source = try ForeignSecrets.environmentFile(
      at: URL(filePath: try parameter(0)), service: "app")
    let permission = try parameter(1)
    let stop = parameters.count > 2 ? try number(2) : nil
    _ = try Self.journal("migrate", "all") {
      try source.migrate(to: vault, removingSource: true) { progress in
        if progress.completed == stop ?? progress.total {
          printLine(".\tmigrate\t\(progress.completed)")
          // The call copies the path.
          while unsafe access(permission, F_OK) != 0 { usleep(1000) }
        }
        return .proceed
      }
    }
  }
}
