import FoundationEssentials
import SecretStorage
import ValueFormats

extension Option {
  fileprivate static let remove = Option(
    "remove", nil, "remove the passphrase, so that this device opens the vault")
  static let newPassphraseFile = Option(
    "new-passphrase-file", "FILE", "a file with the new passphrase, instead of a prompt")
  fileprivate static let name = Option("name", "TEXT", "the name of the slot; by default its kind")
  fileprivate static let newKeyFile = Option(
    "new-key-file", "FILE", "the key file of a slot of kind key-file or two-factors")
  fileprivate static let credential = Option(
    "credential", "NAME",
    "the name of a systemd credential, for a slot of kind credential or two-factors")
  fileprivate static let argon2id = Option(
    "argon2id", nil,
    "derive the key by Argon2id, which needs OpenSSL 3.2 or libargon2, instead of scrypt")
  fileprivate static let dropOthers = Option(
    "drop-others", nil, "remove the slots whose keys are missing, instead of failing")
}

extension Command {
  static let passphrase = Command(
    name: "secrets passphrase",
    summary: "Sets or changes the vault's passphrase, as the only key that opens it.",
    options: [.remove, .newPassphraseFile, .argon2id] + Option.openVault,
    notes: """
      A newline at the end of a file is ignored. Removing the passphrase also removes the secrets that
      require one (whenPasscodeSetThisDeviceOnly).
      """,
    excessArgument: """
      A passphrase is not accepted as an argument, where every user of the machine can read it. Omit \
      it to get a prompt, or specify a file that contains it.
      """
  ) { arguments in
    let file = try arguments.passphrasePath(.newPassphraseFile)
    for option in [Option.newPassphraseFile, .argon2id]
    where arguments.has(.remove) && arguments.has(option) {
      throw UsageError("--remove and \(option.flag) cannot be used together.")
    }
    let vault = try await arguments.unlockedVault()
    if arguments.has(.remove) {
      guard try vault.hasPassphrase else {
        Program.report("The vault has no passphrase.")
        return .absent
      }
      try vault.removePassphrase()
    } else {
      try await vault.setPassphrase(
        newPassphrase(from: file), cost: arguments.newPassphraseCost())
    }
    return .done
  }

  static func newPassphrase(
    from file: String?, option: Option = .newPassphraseFile
  ) async throws -> Secret {
    if let file { return try SecretInput.file(file) }
    return try await SecretInput.askTwice(
      "New passphrase: ",
      withoutTerminal: """
        There is no terminal for a prompt. Specify a file with the passphrase: \(option.synopsis).
        """)
  }
}

extension Parameter {
  fileprivate static let slot = Parameter(
    "ID", "the number of the slot, as shown by `secrets slots`")
  fileprivate static let kind = Parameter(
    "KIND", "device, passphrase, key-file, credential, recovery-code or two-factors",
    choices: ["device", "passphrase", "key-file", "credential", "recovery-code", "two-factors"])
}

extension Command {
  static let listSlots = Command(
    name: "secrets slots",
    summary: "Lists the key slots of the vault: the number, kind and name of each.",
    options: Option.vaultPlace,
    fields: [
      Field("id", "the number of the slot"), Field("kind", "the kind, as for `secrets slots add`"),
      Field("factor", "of two factors, the one beside the passphrase: key-file or credential"),
      Field("credential", "the name of the credential"), Field("name", "the name of the slot"),
    ]
  ) { arguments in
    for slot in try arguments.vault().slots {
      let (kind, factor, credential) = slot.kind.names
      let words = [kind, factor, credential?.onOneLine].compactMap { $0 }
      try arguments.list(
        "\(slot.id)\t\(words.joined(separator: " "))\t\(slot.name.onOneLine)",
        [
          ("id", .integer(slot.id)), ("kind", .string(kind)), ("factor", .text(factor)),
          ("credential", .text(credential)), ("name", .string(slot.name)),
        ])
    }
    return .done
  }

  static let addSlot = Command(
    name: "secrets slots add",
    parameters: [.kind],
    summary: "Adds a key slot, as another way to open the vault.",
    options: [.name, .newPassphraseFile, .newKeyFile, .credential, .argon2id] + Option.openVault,
    notes: """
      A slot of kind two-factors needs a passphrase, and a key file or a credential as well. A recovery code is printed only once: write it down. A key file contains 32 bytes to 1 MiB of
      random data; `head -c 32 /dev/urandom` prints such data.
      """
  ) { arguments in
    let kind = arguments.parameters[0]
    let vault = try await arguments.unlockedVault()
    let name = arguments[.name] ?? kind
    switch kind {
    case "device":
      _ = try await vault.addSlot(.device, named: name)
    case "passphrase", "two-factors":
      let factor = kind == "two-factors" ? try arguments.newSecondFactor() : nil
      let passphrase = try await newPassphrase(from: arguments.passphrasePath(.newPassphraseFile))
      let key = factor.map { UnlockKey.twoFactors(passphrase: passphrase, $0) }
      _ = try await vault.addSlot(
        key ?? .passphrase(passphrase), named: name, cost: arguments.newPassphraseCost())
    case "key-file":
      _ = try await vault.addSlot(.keyFile(arguments.newKeyFile()), named: name)
    case "credential":
      _ = try await vault.addSlot(.credential(named: arguments.newCredential()), named: name)
    case "recovery-code":
      let (_, code) = try vault.addRecoveryCode(named: name)
      try code.withText { text throws(Failure) in try Output.line(text) }
    default:
      throw UsageError("KIND must be \(Parameter.kind.help).")
    }
    return .done
  }

  static let removeSlot = Command(
    name: "secrets slots remove",
    parameters: [.slot],
    summary: "Removes a key slot, but not the last one.",
    options: Option.openVault
  ) { arguments in
    try await arguments.unlockedVault().removeSlot(arguments.slotID())
    return .done
  }

  static let renameSlot = Command(
    name: "secrets slots rename",
    parameters: [.slot, Parameter("NAME", "the new name")],
    summary: "Renames a key slot.",
    options: Option.openVault
  ) { arguments in
    try await arguments.unlockedVault().renameSlot(arguments.slotID(), to: arguments.parameters[1])
    return .done
  }

  static let changeSlot = Command(
    name: "secrets slots change",
    parameters: [.slot],
    summary: "Changes the passphrase of one key slot.",
    options: [.newPassphraseFile] + Option.openVault
  ) { arguments in
    let old = try await arguments.passphrase(in: .passphraseFile, prompt: "Current passphrase: ")
    let new = try await Command.newPassphrase(from: arguments.passphrasePath(.newPassphraseFile))
    try await arguments.vault().changePassphrase(ofSlot: arguments.slotID(), from: old, to: new)
    return .done
  }
}

extension Arguments {
  fileprivate func slotID() throws(UsageError) -> UInt32 {
    guard let id = UInt32(parameters[0]) else {
      throw UsageError("ID must be a number shown by `locket secrets slots`.")
    }
    return id
  }

  fileprivate func newKeyFile() throws(UsageError) -> URL {
    guard let path = try path(.newKeyFile) else {
      throw UsageError("A slot of kind key-file needs --new-key-file.")
    }
    return URL(filePath: path)
  }

  fileprivate func newCredential() throws(UsageError) -> String {
    guard let credential = self[.credential] else {
      throw UsageError("A slot of kind credential needs --credential.")
    }
    return credential
  }

  fileprivate func newSecondFactor() throws(UsageError) -> UnlockKey.SecondFactor {
    guard has(.newKeyFile) != has(.credential) else {
      throw UsageError("A slot of kind two-factors needs either --new-key-file or --credential.")
    }
    return has(.newKeyFile)
      ? .keyFile(try newKeyFile()) : .credential(named: try newCredential())
  }

  /// The cost of a new passphrase; nil for the default one.
  fileprivate func newPassphraseCost() throws -> PassphraseCost? {
    has(.argon2id) ? .argon2id(try .calibrated()) : nil
  }
}

extension SecretVault.Slot.Kind {
  /// The kind, the factor beside a passphrase, and the name of the credential.
  fileprivate var names: (kind: String, factor: String?, credential: String?) {
    switch self {
    case .device: ("device", nil, nil)
    case .passphrase: ("passphrase", nil, nil)
    case .keyFile: ("key-file", nil, nil)
    case .credential(let name): ("credential", nil, name)
    case .recoveryCode: ("recovery-code", nil, nil)
    case .twoFactors(_, .keyFile): ("two-factors", "key-file", nil)
    case .twoFactors(_, .credential(let name)): ("two-factors", "credential", name)
    case .unknown(let type): ("of a newer version (type \(type))", nil, nil)
    }
  }
}

extension Command {
  static let rotate = Command(
    name: "secrets rotate",
    summary: "Re-encrypts the vault with new keys; continues an interrupted rotation.",
    options: [.dropOthers] + Option.openVault,
    notes: """
      A slot is kept if its key is available. The command finds the keys of this device and of systemd
      credentials, and prompts for passphrases. Options specify the other keys.
      """
  ) { arguments in
    let vault = try arguments.vault()
    let keys = try await arguments.keys(of: vault)
    if try vault.isLocked { try vault.unlock(withAnyOf: keys) }
    try LongOperation.perform("Rotating") { report in
      try vault.rotateKeys(
        keeping: keys, removingOtherSlots: arguments.has(.dropOthers), reporting: report)
    }
    return .done
  }
}
