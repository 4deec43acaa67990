import FoundationEssentials
import SecretStorage

extension Option {
  static let vault = Option("vault", "FILE", "the vault, instead of this program's own")
  static let state = Option(
    "state", "DIRECTORY", "where the device key of that vault is, instead of this program's own")
  static let passphraseFile = Option(
    "passphrase-file", "FILE", "a file with the vault's passphrase, which is asked for otherwise")

  static let vaultPlace = [vault, state]
  static let openVault = vaultPlace + [passphraseFile]
}

extension Arguments {
  /// The vault that is meant, locked or not.
  func vault() throws(UsageError) -> SecretVault {
    let state = try path(.state)
    guard let file = try path(.vault) else {
      if state != nil { throw UsageError("--state needs --vault.") }
      return SecretVault()
    }
    return SecretVault(
      fileURL: URL(filePath: file),
      stateDirectory: state.map { URL(filePath: $0, directoryHint: .isDirectory) })
  }

  /// The vault that is meant, unlocked.
  func unlockedVault() throws -> SecretVault {
    let vault = try vault()
    let file = try passphrasePath(.passphraseFile)
    if try vault.isLocked, try vault.hasPassphrase {
      if let file {
        try vault.unlock(with: .passphrase(SecretInput.file(file)))
      } else {
        try vault.unlockByAsking()
      }
    }
    return vault
  }

  /// The file that an option names; a passphrase cannot come from standard input, which is the
  /// secret's.
  func passphrasePath(_ option: Option) throws(UsageError) -> String? {
    let file = try path(option)
    if file == "-" {
      throw UsageError("--\(option.name) needs a file, because standard input is for the secret.")
    }
    return file
  }
}

extension SecretVault {
  private static let attempts = 3

  /// Asks at the terminal for the passphrase, and again when it was wrong.
  fileprivate func unlockByAsking() throws {
    guard let terminal = Terminal() else {
      throw Failure(
        """
        The vault is locked, and there is no terminal to ask for its passphrase. Name a file that \
        has it with --passphrase-file.
        """)
    }
    for attempt in 1...Self.attempts {
      let passphrase = try terminal.ask("Passphrase of the vault: ")
      do throws(SecretStoreError) {
        return try unlock(with: .passphrase(passphrase))
      } catch {
        // Pressing return alone is a slip like any other.
        let isWrong = error == .wrongPassphrase || passphrase.count == 0
        guard isWrong, attempt < Self.attempts else { throw error }
        try Output.line("The passphrase is wrong.", to: .standardError)
      }
    }
  }
}
