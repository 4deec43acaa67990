extension Diagnosis {
  /// Records the keys that open a vault, and whether it is locked.
  mutating func examineSlots(_ contents: VaultContents) {
    guard let table = contents.keys.table else {
      if contents.damage.isEmpty { record("Opened by", "nothing yet: there is no vault") }
      return
    }
    let descriptions = table.slots.map { slot in
      contents.isOfThisDevice(slot) ? "this device's key" : slot.kind.keyDescription
    }
    record("Opened by", Self.list(descriptions))
    if table.hasOldKeys { record("Keys", "are being rotated: resumeRotation() completes it") }
    if contents.keys.isUnlocked { return record("Locked", "no") }
    if let error = contents.keys.unattendedError { return problem("Locked", error) }
    guard contents.keys.lockReason == .locked else {
      return problem("Locked", contents.keys.lockReason)
    }
    let unattended = table.slots.contains(where: contents.isOfThisDevice) ? ["unlock()"] : []
    let keys = unattended + table.slots.compactMap(\.kind.neededKey)
    let choice = keys.isEmpty ? "a newer version" : Self.list(keys, last: " or ")
    record("Locked", "yes: unlock it with \(choice)")
  }

  /// Joins the distinct strings with commas, and with another separator before the last one.
  private static func list(_ strings: [String], last separator: String = ", ") -> String {
    var distinct: [String] = []
    for string in strings where !distinct.contains(string) { distinct.append(string) }
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
      // Another finding reports that the cipher cannot be used.
      return false
    }
  }
}
