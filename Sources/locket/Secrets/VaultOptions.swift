import FoundationEssentials
import SecretStorage

extension Option {
  static let vault = Option("vault", "FILE", "the vault to use instead of this program's own")
  static let state = Option(
    "state", "DIRECTORY", "the directory of that vault's device key, instead of this program's own")
  static let passphraseFile = Option(
    "passphrase-file", "FILE", "a file with the vault's passphrase, instead of a prompt")
  static let keyFile = Option("key-file", "FILE", "a key file that opens the vault")
  static let recoveryCode = Option(
    "recovery-code", nil, "prompt for a recovery code that opens the vault")
  static let shared = Option(
    "shared", nil, "allow directories of the vault that other, trusted users can write to")

  static let vaultPlace = [vault, state, shared]
  static let openVault = vaultPlace + [passphraseFile, keyFile, recoveryCode]
}

extension Arguments {
  /// Returns the vault of the options, locked or not; throws if its file was named, but is missing.
  func vault(mayBeMissing: Bool = false) throws -> SecretVault {
    let state = try path(.state).map { URL(filePath: $0, directoryHint: .isDirectory) }
    let file = try path(.vault).map { URL(filePath: $0) }
    if state != nil, file == nil { throw UsageError("--state needs --vault.") }
    let vault = file.map { SecretVault(fileURL: $0, stateDirectory: state) } ?? SecretVault()
    vault.allowsSharedDirectories = has(.shared)
    if !mayBeMissing, let failure = missingFile(.vault) {
      // Throws instead if this machine has recorded a vault there that needs another key.
      _ = try vault.revision()
      throw failure
    }
    return vault
  }

  /// Returns the vault of the options, unlocked.
  func unlockedVault(mayBeMissing: Bool = false) async throws -> SecretVault {
    let vault = try vault(mayBeMissing: mayBeMissing)
    _ = try passphrasePath(.passphraseFile)
    guard try vault.isLocked else { return vault }
    if let key = try await specifiedKey() {
      try vault.unlock(with: key)
    } else if try vault.hasPassphrase {
      try await vault.unlockByPrompting()
    }
    return vault
  }

  /// Returns the key from the options; nil if they specify none.
  private func specifiedKey() async throws -> UnlockKey? {
    if let path = try path(.keyFile) { return .keyFile(URL(filePath: path)) }
    if has(.recoveryCode) {
      return .recoveryCode(try await recoveryCode(prompt: "Recovery code of the vault: "))
    }
    return try passphrasePath(.passphraseFile).map { path in
      .passphrase(try SecretInput.file(path))
    }
  }

  /// Returns the keys of a vault's slots, from the options or from prompts.
  func keys(of vault: SecretVault) async throws -> [UnlockKey] {
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
      default: break
      }
    }
    return keys
  }

  /// Returns a secret from the file of an option, or else from the terminal.
  func passphrase(in option: Option, prompt: String) async throws -> Secret {
    if let path = try passphrasePath(option) { return try SecretInput.file(path) }
    return try await SecretInput.ask(
      prompt,
      withoutTerminal:
        "There is no terminal for a prompt. Specify a file instead: \(option.synopsis).")
  }

  private func recoveryCode(prompt: String) async throws -> RecoveryCode {
    let typed = try await SecretInput.ask(
      prompt, withoutTerminal: "There is no terminal to prompt for the recovery code.")
    return try RecoveryCode(typed.text ?? "")
  }

  /// Returns the file of an option; refuses standard input, which is for the secret.
  func passphrasePath(_ option: Option) throws(UsageError) -> String? {
    let file = try path(option)
    if file == "-" {
      throw UsageError("\(option.flag) needs a file: standard input is reserved for the secret.")
    }
    return file
  }
}

extension SecretStoreError {
  /// Returns the message of the error in the words of the tool's options and prompts.
  func text(for arguments: Arguments) -> String {
    switch self {
    case .locked:
      do {
        let options = try arguments.vault(mayBeMissing: true).keyOptions()
        return options.isEmpty ? description : "\(self) Specify \(options)."
      } catch {
        // The vault was readable before; the first error is the one that matters.
        return description
      }
    case .otherDevice: return description + (arguments.stateAdvice.map { " \($0)" } ?? "")
    case .wrongApplicationPassword:
      return "The password of this secret is wrong. Nothing was changed."
    default: return description
    }
  }
}

extension Arguments {
  /// The advice for a vault of another device; nil if its state directory cannot be missing.
  var stateAdvice: String? {
    guard has(.vault), !has(.state) else { return nil }
    return """
      If that is this machine, specify where its app keeps the device key, by default in \
      ~/.local/state: \(Option.state.synopsis).
      """
  }
}

extension SecretVault {
  private static let attempts = 3

  /// Returns the options that take keys of the vault's slots, as they are written.
  fileprivate func keyOptions(ofFiles isOfFiles: Bool = false) throws -> String {
    let known = try slots.map(\.kind.option)
    return Option.openVault
      .filter { known.contains($0) && (!isOfFiles || $0.placeholder != nil) }
      .map(\.synopsis).joined(separator: " or ")
  }

  /// Prompts for the passphrase, and again if it is wrong.
  fileprivate func unlockByPrompting() async throws {
    let options = try keyOptions(ofFiles: true)
    for attempt in 1...Self.attempts {
      let passphrase = try await SecretInput.ask(
        "Passphrase of the vault: ",
        withoutTerminal: """
          The vault is locked, and there is no terminal for a prompt. Specify a file with its key: \
          \(options).
          """)
      do {
        return try unlock(with: .passphrase(passphrase))
      } catch let error as SecretStoreError {
        // An empty line is a typing error like any other.
        let isWrong = error == .wrongPassphrase || passphrase.count == 0
        guard isWrong, attempt < Self.attempts else { throw error }
        try Output.line("The passphrase is wrong.", to: .standardError)
      }
    }
  }

  /// Unlocks the vault with the first key that opens it; without keys, throws which ones do.
  func unlock(withAnyOf keys: [UnlockKey]) throws {
    var failure: (any Error)?
    for key in keys {
      do {
        return try unlock(with: key)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    try unlock()
  }
}

extension SecretVault.Slot.Kind {
  /// The option that takes a key of the kind; nil if there is none.
  fileprivate var option: Option? {
    switch self {
    case .passphrase: .passphraseFile
    case .keyFile: .keyFile
    case .recoveryCode: .recoveryCode
    case .device, .credential, .unknown: nil
    }
  }
}
