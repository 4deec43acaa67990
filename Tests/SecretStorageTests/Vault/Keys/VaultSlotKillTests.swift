import CLibrary
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Processes killed at random moments of their work on a vault's slots.
struct VaultSlotKillTests {
  private static let values = Dictionary(uniqueKeysWithValues: (0..<5).map { ("\($0)", "\($0)") })

  @Test func whatOpenedTheVaultBeforeOrAfterOpensItThen() throws {
    var vault = TestVault()
    var passphrase = ""
    var acknowledgements = 0
    for round in 0..<Campaign.size(sample: 4, full: 200) {
      if round % 20 == 0 {
        vault = TestVault()
        passphrase = "passphrase at first"
        try make(vault, passphrase)
      }
      let journal = try kill("w\(round)", on: vault, passphrase)
      acknowledgements += journal.acknowledgementCount
      passphrase = try expectOldOrNew(of: vault, passphrase, journal)
      try expectItems(of: vault)
      try expectWorkGoesOn(on: vault, passphrase)
      try expectItems(of: vault)
    }
    #expect(acknowledgements > 0)
  }

  private func make(_ vault: TestVault, _ passphrase: String) throws {
    let object = vault.open()
    for (account, value) in Self.values { try object.add(value, account: account) }
    try object.addSlot(
      .passphrase(Secret(passphrase.utf8)), named: "person", cost: .minimum)
  }

  /// Starts a child, and kills it at a random moment after its first write has begun.
  private func kill(
    _ prefix: String, on vault: TestVault, _ passphrase: String
  ) throws -> VaultJournal {
    let journal = try vault.path("journal-\(prefix)")
    let child = try ChildProcess(
      "slots", on: vault, ["60", prefix, passphrase, try vault.keyFile(1).path],
      journal: journal)
    // The journal's size chooses the step, and the delay a moment in it.
    let progress = Int.random(in: 1...300)
    try wait { try FileSystem().status(of: journal)?.size ?? 0 >= progress || child.hasEnded }
    usleep(UInt32.random(in: 0..<60_000))
    child.stop()
    // The child must not have failed before the kill.
    #expect(child.end() == SIGKILL)
    return try VaultJournal(journal)
  }

  /// Expects the slots from before or after the interrupted change, and returns the passphrase.
  private func expectOldOrNew(
    of vault: TestVault, _ before: String, _ journal: VaultJournal
  ) throws -> String {
    let object = vault.open()
    let slots = try object.slots
    #expect(slots.filter { $0.kind == .device }.count == 1)
    #expect(slots.filter { $0.name == "person" }.map(\.kind) == [.passphrase(.minimum)])
    let others = slots.filter { $0.kind != .device && $0.name != "person" }
    #expect(others.count < 2)
    for name in journal.accountNames where name != "passphrase" {
      let state = others.first { $0.name.hasPrefix("\(name) ") }?.name.split(separator: " ").last
      #expect(journal.explains(state.map(String.init), of: name), "\(name) is \(state ?? "absent")")
    }
    for slot in others {
      #expect(journal.accountNames.contains { slot.name.hasPrefix("\($0) ") })
      try vault.openElsewhere().unlock(with: .keyFile(try vault.keyFile(1)))
    }
    let known = journal.values(of: "passphrase")
    let candidates = journal.isAcknowledged("passphrase") ? known : [before] + known
    let elsewhere = try vault.openElsewhere()
    let opening = try candidates.filter { candidate in
      do {
        try elsewhere.unlock(with: .passphrase(Secret(candidate.utf8)))
        return true
      } catch SecretStoreError.wrongPassphrase {
        return false
      }
    }
    #expect(opening.count == 1)
    return try #require(opening.first)
  }

  private func expectItems(of vault: TestVault) throws {
    let object = vault.open()
    #expect(try object.texts() == Self.values)
    #expect(try object.verify().isSound)
  }

  /// Continues the killed process's work, and checks that no remains are left.
  private func expectWorkGoesOn(on vault: TestVault, _ passphrase: String) throws {
    let object = vault.open()
    for slot in try object.slots where slot.kind == .keyFile { try object.removeSlot(slot.id) }
    try object.changePassphrase(
      from: Secret(passphrase.utf8), to: Secret(passphrase.utf8), cost: .minimum)
    #expect(try object.slots.map(\.name) == ["this device", "person"])
    #expect(try vault.names().filter { $0.hasSuffix(".tmp") }.isEmpty)
    #expect(
      try FileSystem().entries(of: vault.statePath).filter { $0.hasSuffix(".tmp") }.isEmpty)
  }
}
