import FoundationEssentials
import SecretService
import SecretStorage
import StorageInternals

extension Option {
  static let app = Option(
    "app", "NAME", "the app whose directories are used; by default locket, this program's own")
  static let vault = Option("vault", "FILE", "the vault to use instead of the app's")
  static let state = Option(
    "state", "DIRECTORY", "the directory of that vault's device key, instead of the app's")
  static let passphraseFile = Option(
    "passphrase-file", "FILE", "a file with the vault's passphrase, instead of a prompt")
  static let keyFile = Option("key-file", "FILE", "a key file that opens the vault")
  static let recoveryCode = Option(
    "recovery-code", nil, "prompt for a recovery code that opens the vault")
  static let shared = Option(
    "shared", nil, "allow directories of the vault that other, trusted users can write to")

  static let vaultPlace = [app, vault, state, shared] + etcdPlace
  static let openVault = vaultPlace + [passphraseFile, keyFile, recoveryCode]
  static let store = Option(
    "store", "KIND", "vault, the default, or desktop: the desktop's keyring (Secret Service)",
    choices: ["vault", "desktop"])
  /// The options of `Arguments.openedStore()`.
  static let openStore = [store] + openVault
}

extension Arguments {
  /// The name of the directories of the options.
  var applicationName: String { self[.app] ?? "locket" }

  /// Returns the store of the options for the commands that work with any store, opened.
  func openedStore() async throws -> any SecretStore {
    guard let keyring = try keyring(excluding: Option.openVault) else {
      return try await unlockedVault()
    }
    if try keyring.isLocked {
      try Output.line(
        "The keyring is locked. The desktop asks for its password.", to: .standardError)
      try await keyring.unlock()
    }
    return keyring
  }

  /// Returns the desktop's keyring if `--store` names it, and nil if the store is a vault.
  func keyring(excluding options: [Option]) throws(UsageError) -> SecretServiceStore? {
    switch self[.store] {
    case nil, "vault": return nil
    case "desktop":
      if let option = options.first(where: has) {
        throw UsageError("--store desktop and \(option.flag) exclude each other.")
      }
      return .secretService
    default: throw UsageError("--store needs `vault` or `desktop`.")
    }
  }

  /// Returns the vault of the options, locked or not.
  func vault() throws -> SecretVault {
    let vault: SecretVault
    if let remote = try etcdVault(stateDirectory: { try path(.state) ?? stateDirectory() }) {
      vault = remote
    } else if let file = try path(.vault) {
      let state = try path(.state) ?? stateDirectory()
      vault = SecretVault(
        fileURL: URL(filePath: file),
        stateDirectory: URL(filePath: state, directoryHint: .isDirectory))
    } else {
      if has(.state) { throw UsageError("--state needs --vault.") }
      vault = SecretVault(applicationName: applicationName)
    }
    vault.allowsSharedDirectories = has(.shared)
    return vault
  }

  private func stateDirectory() throws(Failure) -> String {
    do {
      return try ApplicationDirectories(applicationName: applicationName).state
    } catch {
      throw Failure("\(error)")
    }
  }

  /// Returns the vault of the options, unlocked.
  func unlockedVault() async throws -> SecretVault {
    let vault = try vault()
    _ = try passphrasePath(.passphraseFile)
    guard try vault.isLocked else { return vault }
    if let factor = try secondFactor(for: vault.slots) {
      try await unlock(vault, with: factor)
    } else if let key = try await specifiedKey() {
      try await vault.unlock(with: key)
    } else if try vault.hasPassphrase {
      try await unlock(vault, with: nil)
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

  /// Returns the factor that is needed beside a passphrase; nil if a slot has only one.
  ///
  /// It is the key file of the options if no slot is for a key file alone or a passphrase is given
  /// as well, or a credential if no slot is for a passphrase alone.
  private func secondFactor(
    for slots: [SecretVault.Slot]
  ) throws(UsageError) -> UnlockKey.SecondFactor? {
    let path = try path(.keyFile)
    for case .twoFactors(_, let factor) in slots.map(\.kind) {
      switch factor {
      case .keyFile:
        guard let path else { continue }
        if has(.passphraseFile) || !slots.contains(where: { $0.kind == .keyFile }) {
          return .keyFile(URL(filePath: path))
        }
      case .credential(let name):
        if path == nil, !has(.recoveryCode), !slots.contains(where: \.kind.isPassphrase) {
          return .credential(named: name)
        }
      }
    }
    return nil
  }

  /// Unlocks a vault with the passphrase of the options or of a prompt, and another factor, if any.
  private func unlock(_ vault: SecretVault, with factor: UnlockKey.SecondFactor?) async throws {
    func key(_ passphrase: Secret) -> UnlockKey {
      factor.map { .twoFactors(passphrase: passphrase, $0) } ?? .passphrase(passphrase)
    }
    if let path = try passphrasePath(.passphraseFile) {
      return try await vault.unlock(with: key(SecretInput.file(path)))
    }
    try await vault.unlockByPrompting(key)
  }

  /// Returns the keys of a vault's slots, from the options or from prompts.
  func keys(of vault: SecretVault) async throws -> [UnlockKey] {
    var keys: [UnlockKey] = []
    let slots = try vault.slots
    if let path = try path(.keyFile), try secondFactor(for: slots) == nil {
      keys.append(.keyFile(URL(filePath: path)))
    }
    for slot in slots {
      switch slot.kind {
      case .passphrase:
        let prompt = "Passphrase of the slot \(slot.name.onOneLine): "
        keys.append(.passphrase(try await passphrase(in: .passphraseFile, prompt: prompt)))
      case .recoveryCode where has(.recoveryCode):
        let prompt = "Recovery code of the slot \(slot.name.onOneLine): "
        keys.append(.recoveryCode(try await recoveryCode(prompt: prompt)))
      case .twoFactors:
        guard let factor = try secondFactor(for: [slot]) else { continue }
        let prompt = "Passphrase of the slot \(slot.name.onOneLine): "
        let passphrase = try await passphrase(in: .passphraseFile, prompt: prompt)
        keys.append(.twoFactors(passphrase: passphrase, factor))
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
        "There is no terminal for a prompt. Specify a file with the secret: \(option.synopsis).")
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

extension SecretVault {
  private static let attempts = 3

  /// Prompts for the passphrase of a key, and again if it is wrong.
  fileprivate func unlockByPrompting(_ key: (Secret) -> UnlockKey) async throws {
    for attempt in 1...Self.attempts {
      let passphrase = try await SecretInput.ask(
        "Passphrase of the vault: ",
        withoutTerminal: """
          The vault is locked, and there is no terminal for a prompt. Specify a file with its \
          passphrase: \(Option.passphraseFile.synopsis).
          """)
      do {
        return try await unlock(with: key(passphrase))
      } catch let error as SecretStoreError {
        // An empty line is a typing error like any other.
        let isWrong = error == .wrongPassphrase || error.isWrongKey || passphrase.count == 0
        guard isWrong, attempt < Self.attempts else { throw error }
        try Output.line(
          error.isWrongKey ? "\(error)" : "The passphrase is wrong.", to: .standardError)
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

extension SecretStoreError {
  fileprivate var isWrongKey: Bool { if case .wrongKey = self { true } else { false } }
}

extension SecretVault.Slot.Kind {
  fileprivate var isPassphrase: Bool { if case .passphrase = self { true } else { false } }
}
