import CLibrary
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Processes killed at random moments of their work on a vault.
struct VaultKillTests {
  /// Starts a child, and kills it at a random moment after its first write has begun.
  private func kill(
    _ mode: String, _ parameters: [String], on vault: TestVault, journal: String
  ) throws {
    let child = try ChildProcess(mode, on: vault, parameters, journal: journal)
    // Progress is measured by the journal's size, which is independent of the machine's speed.
    let progress = Int.random(in: 1...(mode == "write" ? 8000 : 400))
    while try FileSystem().status(of: journal)?.size ?? 0 < progress { usleep(500) }
    usleep(UInt32.random(in: 0..<5000))
    child.stop()
    // The child must not have failed before the kill.
    #expect(child.end() == SIGKILL)
  }

  /// Checks that the next replacement of the file removes the remains of killed writers.
  private func expectNoLitter(_ vault: TestVault, after object: SecretVault) throws {
    // A process killed before its vault was in place leaves nothing to compact.
    guard try FileSystem().status(of: vault.path) != nil else { return }
    try object.compact()
    let leftovers = try vault.names().filter { $0.hasSuffix(".tmp") }
    #expect(leftovers.isEmpty)
    let state = try FileSystem().entries(of: vault.statePath).filter { $0.hasSuffix(".tmp") }
    #expect(state.isEmpty)
  }

  @Test(arguments: [
    ("write", ["2", "1800", "w"], Campaign.size(sample: 6, full: 300)),
    ("compact", ["1800", "c"], Campaign.size(sample: 3, full: 200)),
  ])
  func acknowledgedWritesOfKilledProcessesAreThere(
    _ mode: String, _ parameters: [String], _ rounds: Int
  ) throws {
    var vault = TestVault()
    var acknowledgements = 0
    for round in 0..<rounds {
      if round % 20 == 0 { vault = TestVault() }
      let journal = try vault.path("journal")
      let part = try vault.path("journal-\(round)")
      var parameters = parameters
      parameters[parameters.count - 1] += "\(round)"
      try kill(mode, parameters, on: vault, journal: part)
      // Drops lines torn by the kill, so that the journals can be joined.
      let bytes = try TestVault.bytes(of: part)
      let lines = bytes[..<((bytes.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1)]
      try TestVault.append(Array(lines), to: journal)
      let whole = try VaultJournal(journal)
      acknowledgements += whole.acknowledgementCount
      let object = vault.open()
      try whole.check(object, but: mode == "compact" ? ["c\(round)"] : [])
      #expect(try object.verify().isSound)
      if mode == "compact" {
        // The item exists before its first change in the journal.
        let value = try object.text("c\(round)")
        #expect(value == "" || whole.values(of: "c\(round)").contains(value ?? "absent"))
        try object.remove("c\(round)")
        try TestVault.append(Array("=\tc\(round)\t-\n".utf8), to: journal)
      }
      if round % 5 == 0 { try expectNoLitter(vault, after: object) }
    }
    #expect(acknowledgements > 0)
  }

  @Test func vaultsOfKilledMakersAreWholeOrNotThere() throws {
    for _ in 0..<Campaign.size(sample: 3, full: 100) {
      let vault = TestVault()
      let path = try vault.path("journal")
      try kill("create", ["60"], on: vault, journal: path)
      let journal = try VaultJournal(path)
      for name in journal.accountNames {
        let object = SecretVault(
          fileURL: vault.directory.appending(path: name), stateDirectory: vault.state)
        let value = try object.text(name)
        #expect(journal.explains(value, of: name), "\(name) is \(value ?? "absent")")
        #expect(try object.verify().isSound)
        if value == nil { try object.add("again", account: name) }
      }
      let leftovers = try vault.names().filter { $0.hasSuffix(".tmp") }
      #expect(leftovers.isEmpty)
    }
  }

  @Test func onePassphraseOpensTheVaultOfAKilledProcess() throws {
    for _ in 0..<Campaign.size(sample: 3, full: 100) {
      let vault = TestVault()
      for number in 0..<5 { try vault.open().add("\(number)", account: "\(number)") }
      let path = try vault.path("journal")
      try kill("passphrase", ["60"], on: vault, journal: path)
      let journal = try VaultJournal(path)
      let object = vault.open()
      var opened = false
      if try object.hasPassphrase {
        for value in journal.values(of: "passphrase") {
          do {
            try object.unlock(with: .passphrase(Secret(value.utf8)))
            opened = true
          } catch {
            #expect(error as? SecretStoreError == .wrongPassphrase)
          }
        }
      } else {
        // No write was acknowledged.
        opened = journal.acknowledgementCount == 0
      }
      #expect(opened)
      #expect(try object.texts().count == 5)
      #expect(try object.verify().isSound)
      try expectNoLitter(vault, after: object)
    }
  }
}
