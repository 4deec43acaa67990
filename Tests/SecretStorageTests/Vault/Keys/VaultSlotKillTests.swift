import CLibrary
import FoundationEssentials
import StorageInternals
import Testing
import TestSupport

@testable import SecretStorage

/// Processes killed during their work on a vault's slots.
struct VaultSlotKillTests {
  private static let values = Dictionary(uniqueKeysWithValues: (0..<5).map { ("\($0)", "\($0)") })

  /// Kills each process once its journal has that many bytes, and after a pause in microseconds.
  ///
  /// The journal chooses the step of the work, and the pause a moment in it.
  static func killProcesses(at moments: [(size: Int, pause: UInt32)]) throws {
    var vault = TestVault()
    var passphrase = ""
    for (round, moment) in moments.enumerated() {
      if round % 20 == 0 {
        vault = TestVault()
        passphrase = "passphrase at first"
        let object = vault.open()
        for (account, value) in values { try object.add(value, account: account) }
        try object.addSlot(.passphrase(Secret(passphrase.utf8)), named: "person", cost: .minimum)
      }
      let path = try vault.path("journal-\(round)")
      // The number of its rounds, which it never reaches.
      let child = try ChildProcess(
        "slots", on: vault, ["1000000", "w\(round)", passphrase, try vault.keyFile(1).path],
        journal: path)
      try wait(for: child) { try FileSystem().status(of: path)?.size ?? 0 >= moment.size }
      usleep(moment.pause)
      child.stop()
      // The child must not have failed before the kill.
      #expect(child.end() == SIGKILL)
      passphrase = try expectOldOrNew(of: vault, passphrase, VaultJournal(path))
      try vault.open().expectSound(values)
      try expectWorkGoesOn(on: vault, passphrase)
      try vault.open().expectSound(values)
    }
  }

  /// A kill in each of the four steps, and in the second round.
  @Test func killedProcessLeavesOldOrNewSlots() throws {
    try Self.killProcesses(at: [1, 40, 90, 120, 150].map { (size: $0, pause: 0) })
  }

  /// Expects the slots from before or after the interrupted change, and returns the passphrase.
  private static func expectOldOrNew(
    of vault: TestVault, _ before: String, _ journal: VaultJournal
  ) throws -> String {
    let slots = try vault.open().slots
    #expect(slots.count { $0.kind == .device } == 1)
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

  /// Continues the killed process's work, and checks that no remains are left.
  private static func expectWorkGoesOn(on vault: TestVault, _ passphrase: String) throws {
    let object = vault.open()
    for slot in try object.slots where slot.kind == .keyFile { try object.removeSlot(slot.id) }
    let passphrase = Secret(passphrase.utf8)
    try object.changePassphrase(from: passphrase, to: passphrase, cost: .minimum)
    #expect(try object.slots.map(\.name) == ["this device", "person"])
    #expect(try vault.temporaryNames() == [])
  }
}
