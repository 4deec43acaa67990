import Concurrency

extension Diagnosis {
  /// Reports the ways to open a vault, and whether it is open.
  mutating func examineSlots(_ contents: VaultContents) {
    guard let table = contents.keys.table else {
      if contents.damage.isEmpty { note("Opened by", "nothing yet: there is no vault") }
      return
    }
    let ways = table.slots.map { slot in
      contents.isOfThisDevice(slot) ? "this device's key" : slot.kind.keyDescription
    }
    note("Opened by", Self.list(ways))
    if table.hasOldKeys { note("Keys", "are being rotated: resumeRotation() completes it") }
    if contents.keys.isUnlocked { return note("Locked", "no") }
    if let obstacle = contents.keys.unattendedError { return problem("Locked", obstacle) }
    guard contents.keys.lockReason == .locked else {
      return problem("Locked", contents.keys.lockReason)
    }
    let unattended = table.slots.contains(where: contents.isOfThisDevice) ? ["unlock()"] : []
    let keys = unattended + table.slots.compactMap(\.kind.neededKey)
    let choice = keys.isEmpty ? "a newer version" : Self.list(keys, last: " or ")
    note("Locked", "yes: unlock it with \(choice)")
  }

  /// Joins distinct texts with commas, the last one with a given separator.
  private static func list(_ texts: [String], last separator: String = ", ") -> String {
    var distinct: [String] = []
    for text in texts where !distinct.contains(text) { distinct.append(text) }
    let last = distinct.popLast() ?? ""
    return distinct.isEmpty ? last : distinct.joined(separator: ", ") + separator + last
  }
}

extension VaultContents {
  fileprivate func isOfThisDevice(_ slot: KeySlot) -> Bool {
    guard let table = keys.table else { return false }
    do {
      return try slot.isOfDevice(keys.ring.device, by: table.sealer(cipher))
    } catch {
      // Another line reports a cipher that cannot be used.
      return false
    }
  }
}

extension Diagnosis {
  /// Reports the authenticator of a store, and the proofs that it can obtain here.
  mutating func note(_ authenticator: (any Authenticator)?) {
    let subject = "Authenticator"
    guard let authenticator else {
      return note(subject, "none: a context must bring one for items that need a proof")
    }
    if let obstacle = (authenticator as? PAMAuthenticator)?.obstacle {
      return problem(subject, "\(type(of: authenticator)): \(obstacle)")
    }
    let capabilities = authenticator.capabilities
    let proves = capabilities.isEmpty ? "nothing at present" : "\(capabilities)"
    note(subject, "\(type(of: authenticator)), which can prove \(proves)")
  }

  /// Reports whether libpam is available.
  mutating func notePAM() {
    do {
      _ = try LibPAM.shared.get()
      note("PAM", "libpam.so.0")
    } catch {
      note("PAM", "not there, and needed by PAMAuthenticator: \(error)")
    }
  }
}
