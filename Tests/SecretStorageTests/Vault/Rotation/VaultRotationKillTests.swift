import CLibrary
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Processes killed at random moments of a key rotation.
struct VaultRotationKillTests {
  private static let count = 800

  @Test(arguments: [nil, "secret"])
  func killedRotationLosesNothingAndIsResumed(_ passphrase: String?) throws {
    let rounds = Campaign.size(sample: 4, full: 100)
    let key = passphrase.map { UnlockKey.passphrase(Secret($0.utf8)) }
    var vault = TestVault()
    var pending = 0
    for round in 0..<rounds {
      if round % 20 == 0 {
        vault = TestVault()
        let maker = vault.open()
        try maker.addMany(Self.count)
        if let passphrase { try maker.setPassphrase(Secret(passphrase.utf8), cost: .cheap) }
      }
      let old = try CapturedKeys(open(vault, key))
      try kill(vault, passphrase, journal: try vault.path("journal-\(round)"))
      let object = try open(vault, key)
      #expect(try object.texts() == SecretVault.many(Self.count))
      #expect(try object.verify().isSound)
      if try object.isRotationPending {
        pending += 1
        try object.resumeRotation()
        #expect(try CapturedKeys(object).user != old.user)
      }
      #expect(try !object.isRotationPending)
      let keys = try CapturedKeys(object)
      #expect(!keys.table.hasOldKeys)
      if keys.user != old.user {
        #expect(try old.openings(in: vault.bytes, with: keys) == [])
      }
      #expect(try object.texts() == SecretVault.many(Self.count))
      try object.change("1", to: "value 1")
      try object.compact()
      #expect(try vault.names().filter { $0.hasSuffix(".tmp") }.isEmpty)
    }
    if Campaign.isFull { #expect(pending > rounds / 10) }
  }

  private func open(_ vault: TestVault, _ key: UnlockKey?) throws -> SecretVault {
    let object = vault.open()
    if let key { try object.unlock(with: key) }
    return object
  }

  /// Starts a child, and kills it at a random moment of its work.
  private func kill(_ vault: TestVault, _ passphrase: String?, journal: String) throws {
    let parameters = ["60"] + [passphrase].compactMap(\.self)
    let child = try ChildProcess("rotate", on: vault, parameters, journal: journal)
    // Each step adds a line; this chooses a step and then a moment of it.
    let progress = Int.random(in: 1...400)
    while try FileSystem().status(of: journal)?.size ?? 0 < progress { usleep(500) }
    usleep(UInt32.random(in: 0..<30_000))
    child.stop()
    #expect(child.end() == SIGKILL)
  }
}
