import FoundationEssentials
import SecretStorage

extension Option {
  static let vault = Option("vault", "FILE", "the vault, instead of this program's own")
  static let state = Option(
    "state", "DIRECTORY", "where the device key of that vault is, instead of this program's own")
  static let passphraseFile = Option(
    "passphrase-file", "FILE", "a file with the vault's passphrase, which is asked for otherwise")
  static let keyFile = Option("key-file", "FILE", "a key file that opens the vault")
  static let recoveryCode = Option(
    "recovery-code", nil, "open the vault with a recovery code, which is asked for")

  static let vaultPlace = [vault, state]
  static let openVault = vaultPlace + [passphraseFile, keyFile, recoveryCode]
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
    _ = try passphrasePath(.passphraseFile)
    guard try vault.isLocked else { return vault }
    if let key = try keyOfOptions() {
      try vault.unlock(with: key)
    } else if try vault.hasPassphrase {
      try vault.unlockByAsking()
    }
    return vault
  }

  /// What the options say that opens the vault, if they say anything.
  private func keyOfOptions() throws -> UnlockKey? {
    if let path = try path(.keyFile) { return .keyFile(URL(filePath: path)) }
    if has(.recoveryCode) {
      return .recoveryCode(try RecoveryCode(ask("Recovery code of the vault: ").text))
    }
    return try passphrasePath(.passphraseFile).map { path in
      .passphrase(try SecretInput.file(path))
    }
  }

  /// Something for each slot of a vault that a person can open: what the options say, and what is asked
  /// for.
  func keysOfSlots(of vault: SecretVault) throws -> [UnlockKey] {
    var keys: [UnlockKey] = []
    if let path = try path(.keyFile) { keys.append(.keyFile(URL(filePath: path))) }
    for slot in try vault.slots {
      switch slot.kind {
      case .passphrase:
        let prompt = "Passphrase of the slot \(slot.name.onOneLine): "
        keys.append(.passphrase(try passphrase(in: .passphraseFile, prompt: prompt)))
      case .recoveryCode where has(.recoveryCode):
        let prompt = "Recovery code of the slot \(slot.name.onOneLine): "
        keys.append(.recoveryCode(try RecoveryCode(ask(prompt).text)))
      default:
        break
      }
    }
    return keys
  }

  /// A secret from the file that an option names, or else from the terminal.
  func passphrase(in option: Option, prompt: String) throws -> Secret {
    if let path = try passphrasePath(option) { return try SecretInput.file(path) }
    guard let terminal = Terminal() else {
      throw Failure(
        "There is no terminal to ask for it. Name a file that has it with --\(option.name).")
    }
    return try terminal.ask(prompt)
  }

  private func ask(_ prompt: String) throws(Failure) -> Secret {
    guard let terminal = Terminal() else {
      throw Failure("There is no terminal to ask at.")
    }
    return try terminal.ask(prompt)
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

  /// Unlocks the vault with the first key that opens it.
  func unlock(withAnyOf keys: [UnlockKey]) throws(SecretStoreError) {
    var failure = SecretStoreError.locked
    for key in keys {
      do {
        return try unlock(with: key)
      } catch {
        failure = error
      }
    }
    throw failure
  }
}

extension Secret {
  /// What was typed, where only a text will do.
  var text: String {
    // The bytes are copied inside of the closure.
    unsafe withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }
}
