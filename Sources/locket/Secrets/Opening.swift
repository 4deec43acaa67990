import FoundationEssentials
import SecretStorage

extension Option {
  static let vault = Option("vault", "FILE", "the vault, instead of this program's own")
  static let state = Option(
    "state", "DIRECTORY", "where the device key of that vault is, instead of this program's own")
  static let passphraseFile = Option(
    "passphrase-file", "FILE", "a file with the vault's passphrase, instead of asking for it")
  static let keyFile = Option("key-file", "FILE", "a key file that opens the vault")
  static let recoveryCode = Option(
    "recovery-code", nil, "open the vault with a recovery code, which is asked for")

  static let shared = Option(
    "shared", nil, "leave directories of the vault writable to other users, who are trusted")

  static let vaultPlace = [vault, state, shared]
  static let openVault = vaultPlace + [passphraseFile, keyFile, recoveryCode]
}

extension Arguments {
  /// The vault of the options, locked or not.
  func vault() throws(UsageError) -> SecretVault {
    let vault = try vaultOfPlace()
    vault.allowsSharedDirectories = has(.shared)
    return vault
  }

  private func vaultOfPlace() throws(UsageError) -> SecretVault {
    let state = try path(.state)
    guard let file = try path(.vault) else {
      if state != nil { throw UsageError("--state needs --vault.") }
      return SecretVault()
    }
    return SecretVault(
      fileURL: URL(filePath: file),
      stateDirectory: state.map { URL(filePath: $0, directoryHint: .isDirectory) })
  }

  /// The vault of the options, unlocked.
  func unlockedVault() async throws -> SecretVault {
    let vault = try vault()
    _ = try passphrasePath(.passphraseFile)
    guard try vault.isLocked else { return vault }
    if let key = try await keyOfOptions() {
      try vault.unlock(with: key)
    } else if try vault.hasPassphrase {
      try await vault.unlockByAsking()
    }
    return vault
  }

  /// The key that the options name, if they name one.
  private func keyOfOptions() async throws -> UnlockKey? {
    if let path = try path(.keyFile) { return .keyFile(URL(filePath: path)) }
    if has(.recoveryCode) {
      return .recoveryCode(try await recoveryCode(prompt: "Recovery code of the vault: "))
    }
    return try passphrasePath(.passphraseFile).map { path in
      .passphrase(try SecretInput.file(path))
    }
  }

  /// A key for each slot of a vault that a person can open: from the options, or asked for.
  func keysOfSlots(of vault: SecretVault) async throws -> [UnlockKey] {
    var keys: [UnlockKey] = []
    if let path = try path(.keyFile) { keys.append(.keyFile(URL(filePath: path))) }
    for slot in try vault.slots {
      switch slot.kind {
      case .passphrase:
        let prompt = "Passphrase of the slot \(slot.name.onOneLine): "
        keys.append(.passphrase(try await passphrase(in: .passphraseFile, prompt: prompt)))
      case .recoveryCode where has(.recoveryCode):
        let prompt = "Recovery code of the slot \(slot.name.onOneLine): "
        keys.append(.recoveryCode(try await recoveryCode(prompt: prompt)))
      default:
        break
      }
    }
    return keys
  }

  /// A secret from the file that an option names, or else from the terminal.
  func passphrase(in option: Option, prompt: String) async throws -> Secret {
    if let path = try passphrasePath(option) { return try SecretInput.file(path) }
    return try await SecretInput.ask(
      prompt,
      withoutTerminal:
        "There is no terminal to ask for a passphrase. Name a file with it: \(option.synopsis).")
  }

  private func recoveryCode(prompt: String) async throws -> RecoveryCode {
    let typed = try await SecretInput.ask(
      prompt, withoutTerminal: "There is no terminal to ask for the recovery code.")
    return try RecoveryCode(typed.text ?? "")
  }

  /// The file that an option names; a passphrase cannot come from standard input, which is for the
  /// secret.
  func passphrasePath(_ option: Option) throws(UsageError) -> String? {
    let file = try path(option)
    if file == "-" {
      throw UsageError("\(option.spelling) needs a file: standard input is for the secret.")
    }
    return file
  }
}

extension SecretVault {
  private static let attempts = 3

  /// Asks for the passphrase, and again when it was wrong.
  fileprivate func unlockByAsking() async throws {
    for attempt in 1...Self.attempts {
      let passphrase = try await SecretInput.ask(
        "Passphrase of the vault: ",
        withoutTerminal: """
          The vault is locked, and there is no terminal to ask for its passphrase. Name a file with it: \
          \(Option.passphraseFile.synopsis).
          """)
      do {
        return try unlock(with: .passphrase(passphrase))
      } catch let error as SecretStoreError {
        // An empty line is a slip of the fingers like any other.
        let isWrong = error == .wrongPassphrase || passphrase.count == 0
        guard isWrong, attempt < Self.attempts else { throw error }
        try Output.line("The passphrase is wrong.", to: .standardError)
      }
    }
  }

  /// Unlocks the vault with the first key that opens it.
  func unlock(withAnyOf keys: [UnlockKey]) throws {
    var failure: any Error = SecretStoreError.locked
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
