import FoundationEssentials
import SecretStorage

extension Option {
  fileprivate static let remove = Option(
    "remove", nil, "remove the passphrase, so that this device opens the vault")
  static let newPassphraseFile = Option(
    "new-passphrase-file", "FILE", "a file with the new passphrase, instead of a prompt")
  fileprivate static let name = Option("name", "TEXT", "the name of the slot; by default its kind")
  fileprivate static let newKeyFile = Option(
    "new-key-file", "FILE", "the key file of a slot of kind key-file")
  fileprivate static let credential = Option(
    "credential", "NAME", "the name of a systemd credential, for a slot of kind credential")
  fileprivate static let dropOthers = Option(
    "drop-others", nil, "remove the slots whose keys are missing, instead of failing")
}

extension Command {
  static let passphrase = Command(
    name: "secrets passphrase",
    summary: "Sets or changes the vault's passphrase, as the only key that opens it.",
    options: [.remove, .newPassphraseFile] + Option.openVault,
    notes: """
      A line end at the end of a file is ignored. Removing the passphrase also removes the secrets that
      require one (whenPasscodeSetThisDeviceOnly).
      """,
    excessArgument: """
      A passphrase is not accepted as an argument, where every user of the machine can read it. Omit \
      it to get a prompt, or specify a file that contains it.
      """
  ) { arguments in
    let file = try arguments.passphrasePath(.newPassphraseFile)
    if arguments.has(.remove), file != nil {
      throw UsageError("--remove and --new-passphrase-file cannot be used together.")
    }
    let isRemoval = arguments.has(.remove)
    let vault = try await arguments.unlockedVault(mayBeMissing: !isRemoval)
    if isRemoval {
      guard try vault.hasPassphrase else {
        throw Failure("The vault has no passphrase.", status: .absent)
      }
      try vault.removePassphrase()
    } else {
      try await vault.setPassphrase(newPassphrase(from: file))
    }
    return .done
  }

  static func newPassphrase(
    from file: String?, option: Option = .newPassphraseFile, prompt: String = "New passphrase: "
  ) async throws -> Secret {
    if let file { return try SecretInput.file(file) }
    return try await SecretInput.askTwice(
      prompt,
      withoutTerminal: """
        There is no terminal for a prompt. Specify a file with the passphrase: \(option.synopsis).
        """)
  }
}

extension Parameter {
  fileprivate static let slot = Parameter(
    "ID", "the number of the slot, as shown by `secrets slots`")
  fileprivate static let kind = Parameter(
    "KIND", "device, passphrase, key-file, credential or recovery-code")
}

extension Command {
  static let listSlots = Command(
    name: "secrets slots",
    summary: "Lists the key slots of the vault: the number, kind and name of each.",
    options: Option.vaultPlace
  ) { arguments in
    for slot in try arguments.vault().slots {
      try Output.line("\(slot.id)\t\(slot.kind.name)\t\(slot.name.onOneLine)")
    }
    return .done
  }

  static let addSlot = Command(
    name: "secrets slots add",
    parameters: [.kind],
    summary: "Adds a key slot, as another way to open the vault.",
    options: [.name, .newPassphraseFile, .newKeyFile, .credential] + Option.openVault,
    notes: """
      A recovery code is printed only once: write it down. A key file contains 32 bytes to 1 MiB of
      random data; `head -c 32 /dev/urandom` prints such data.
      """
  ) { arguments in
    let kind = arguments.parameters[0]
    let vault = try await arguments.unlockedVault(mayBeMissing: true)
    let name = arguments[.name] ?? kind
    switch kind {
    case "device":
      _ = try vault.addSlot(.device, named: name)
    case "passphrase":
      let passphrase = try await newPassphrase(from: arguments.passphrasePath(.newPassphraseFile))
      _ = try vault.addSlot(.passphrase(passphrase), named: name)
    case "key-file":
      guard let path = try arguments.path(.newKeyFile) else {
        throw UsageError("A slot of kind key-file needs --new-key-file.")
      }
      _ = try vault.addSlot(.keyFile(URL(filePath: path)), named: name)
    case "credential":
      guard let credential = arguments[.credential] else {
        throw UsageError("A slot of kind credential needs --credential.")
      }
      _ = try vault.addSlot(.credential(named: credential), named: name)
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
    let vault = try arguments.vault()
    let old = try await arguments.passphrase(in: .passphraseFile, prompt: "Current passphrase: ")
    let new = try await Command.newPassphrase(from: arguments.passphrasePath(.newPassphraseFile))
    try vault.changePassphrase(ofSlot: arguments.slotID(), from: old, to: new)
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
}

extension SecretVault.Slot.Kind {
  fileprivate var name: String {
    switch self {
    case .device: "device"
    case .passphrase: "passphrase"
    case .keyFile: "key-file"
    case .credential(let name): "credential \(name.onOneLine)"
    case .recoveryCode: "recovery-code"
    case .unknown(let type): "of a newer version (type \(type))"
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
