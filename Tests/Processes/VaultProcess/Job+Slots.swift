import FoundationEssentials
import SecretStorage

// Changes of key slots.
extension Job {
  func changeSlots(of vault: SecretVault) throws {
    let prefix = try parameter(1)
    var passphrase = try parameter(2)
    let keyFile = UnlockKey.keyFile(URL(filePath: try parameter(3)))
    guard let person = try vault.slots.first(where: { $0.name == "person" }) else { throw Misuse() }
    try repeating(parameter: 0) { round in
      let name = "\(prefix)-\(round)"
      let slot = try Self.journal(name, "added") {
        try vault.addSlot(keyFile, named: "\(name) added")
      }
      let next = "passphrase \(name)"
      try Self.journal("passphrase", next) {
        try vault.changePassphrase(
          ofSlot: person.id, from: Secret(passphrase.utf8), to: Secret(next.utf8), cost: .minimum)
      }
      passphrase = next
      try Self.journal(name, "renamed") { try vault.renameSlot(slot.id, to: "\(name) renamed") }
      try Self.journal(name, "-") { try vault.removeSlot(slot.id) }
    }
  }
}
