import FoundationEssentials
import SecretStorage

extension Option {
  fileprivate static let name = Option(
    "name", "TEXT", "what the slot is called; its kind otherwise")
  fileprivate static let newKeyFile = Option(
    "new-key-file", "FILE", "the file, for a slot of the kind key-file")
  fileprivate static let credential = Option(
    "credential", "NAME", "the name of systemd's credential, for a slot of the kind credential")
}

extension Parameter {
  fileprivate static let slot = Parameter(
    "ID", "the number of the slot, as `secrets slots` lists it")
  fileprivate static let kind = Parameter(
    "KIND", "device, passphrase, key-file, credential or recovery-code")
}

extension Command {
  static let listSlots = Command(
    name: "secrets slots",
    summary: "Lists what opens the vault: the number, the kind and the name of each key slot.",
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
    summary: "Lets something more open the vault.",
    options: [.name, .newPassphraseFile, .newKeyFile, .credential] + Option.openVault,
    notes: """
      A recovery code is printed once: write it down. A key file has 32 bytes to 1 MiB that nobody can
      guess; `head -c 32 /dev/urandom` makes one.
      """
  ) { arguments in
    let kind = arguments.parameters[0]
    let vault = try arguments.unlockedVault()
    let name = arguments[.name] ?? kind
    switch kind {
    case "device":
      _ = try vault.addSlot(.device, named: name)
    case "passphrase":
      let passphrase = try Command.newPassphrase(from: arguments.passphrasePath(.newPassphraseFile))
      _ = try vault.addSlot(.passphrase(passphrase), named: name)
    case "key-file":
      guard let path = try arguments.path(.newKeyFile) else {
        throw UsageError("A slot of the kind key-file needs --new-key-file.")
      }
      _ = try vault.addSlot(.keyFile(URL(filePath: path)), named: name)
    case "credential":
      guard let credential = arguments[.credential] else {
        throw UsageError("A slot of the kind credential needs --credential.")
      }
      _ = try vault.addSlot(.credential(named: credential), named: name)
    case "recovery-code":
      let (_, code) = try vault.addRecoveryCode(named: name)
      try code.withText { text throws(Failure) in try Output.line(text) }
    default:
      throw UsageError("KIND is one of \(Parameter.kind.help).")
    }
    return .done
  }

  static let removeSlot = Command(
    name: "secrets slots remove",
    parameters: [.slot],
    summary: "Lets something open the vault no more; the last slot stays.",
    options: Option.openVault
  ) { arguments in
    try arguments.unlockedVault().removeSlot(arguments.slotID())
    return .done
  }

  static let renameSlot = Command(
    name: "secrets slots rename",
    parameters: [.slot, Parameter("NAME", "what it is called from now on")],
    summary: "Gives a slot another name.",
    options: Option.openVault
  ) { arguments in
    try arguments.unlockedVault().renameSlot(arguments.slotID(), to: arguments.parameters[1])
    return .done
  }

  static let changeSlot = Command(
    name: "secrets slots change",
    parameters: [.slot],
    summary: "Gives a slot another passphrase; the other slots stay as they are.",
    options: [.newPassphraseFile] + Option.openVault
  ) { arguments in
    let old = try arguments.passphrase(in: .passphraseFile, prompt: "Present passphrase: ")
    let new = try Command.newPassphrase(from: arguments.passphrasePath(.newPassphraseFile))
    try arguments.vault().changePassphrase(ofSlot: arguments.slotID(), from: old, to: new)
    return .done
  }
}

extension Arguments {
  fileprivate func slotID() throws(UsageError) -> UInt32 {
    guard let id = UInt32(parameters[0]) else {
      throw UsageError("ID is a number that `Example secrets slots` lists.")
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
