extension Diagnosis {
  /// Says what opens a vault, and whether it is open.
  mutating func examineSlots(_ contents: VaultContents) {
    guard let table = contents.keys.table else {
      if contents.damage.isEmpty { note("Opened by", "nothing yet: there is no vault") }
      return
    }
    let ways = table.slots.map { slot in
      contents.isOfThisDevice(slot) ? "this device's key" : slot.content.way
    }
    note("Opened by", Self.enumerated(ways))
    if table.hasOldKeys { note("Keys", "are being rotated: resumeRotation() does what is left") }
    if contents.keys.isUnlocked { return note("Locked", "no") }
    if let obstacle = contents.keys.obstacle { return problem("Locked", obstacle) }
    guard contents.keys.lockReason == .locked else {
      return problem("Locked", contents.keys.lockReason)
    }
    let unattended = table.slots.contains(where: contents.isOfThisDevice) ? ["unlock()"] : []
    let keys = unattended + table.slots.compactMap(\.content.neededKey)
    note("Locked", "yes: unlock it with \(Self.choice(keys))")
  }

  /// Texts, each once, with commas between.
  private static func enumerated(_ texts: [String]) -> String {
    distinct(texts).joined(separator: ", ")
  }

  private static func choice(_ texts: [String]) -> String {
    let texts = distinct(texts)
    guard let last = texts.last else { return "a newer version" }
    let others = texts.dropLast().joined(separator: ", ")
    return others.isEmpty ? last : "\(others) or \(last)"
  }

  private static func distinct(_ texts: [String]) -> [String] {
    texts.enumerated().filter { texts.firstIndex(of: $0.element) == $0.offset }.map(\.element)
  }
}

extension VaultContents {
  fileprivate func isOfThisDevice(_ slot: KeySlot) -> Bool {
    guard let table = keys.table else { return false }
    do {
      return try slot.isOfDevice(keys.ring.device, in: table.vaultID, cipher)
    } catch {
      // A cipher that cannot tell is what another line is about.
      return false
    }
  }
}

extension KeySlot.Content {
  fileprivate var way: String {
    switch self {
    case .device: "another device's key"
    case .passphrase: "a passphrase"
    case .keyFile: "a key file"
    case .credential(let name, _): "the credential \(name)"
    case .recoveryCode: "a recovery code"
    case .unknown: "what only a newer version knows"
    }
  }

  /// What a locked vault is to be given; nil for what opens it here by itself, or nowhere.
  fileprivate var neededKey: String? {
    switch self {
    case .device, .unknown: nil
    case .passphrase: "its passphrase"
    case .keyFile: "its key file"
    case .credential(let name, _): "the credential \(name), which systemd gives to a service"
    case .recoveryCode: "its recovery code"
    }
  }
}
