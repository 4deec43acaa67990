import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Processes killed in the middle of a key rotation.
struct VaultRotationKillTests {
  /// More than one batch of a rotation in a process.
  private static let count = 300

  @Test(arguments: [nil, "secret"])
  func killedRotationLosesNothingAndIsResumed(_ passphrase: String?) throws {
    let key = passphrase.map { UnlockKey.passphrase(Secret($0.utf8)) }
    var vault = TestVault()
    func open() throws -> SecretVault {
      let object = vault.open()
      if let key { try object.unlock(with: key) }
      return object
    }
    // A rotation begins, reports 0, 256 and 300 items, and ends: five lines.
    let lines = ChildProcess.lines(passphrase == nil ? [1, 3] : [2, 4], campaign: 100, 5)
    for (round, line) in lines.enumerated() {
      if round % 20 == 0 {
        vault = TestVault()
        let maker = vault.open()
        try maker.addMany(Self.count)
        if let passphrase { try maker.setPassphrase(Secret(passphrase.utf8), cost: .cheap) }
      }
      let old = try CapturedKeys(open())
      let journal = try vault.path("journal-\(round)")
      let parameters = ["-"] + [passphrase].compactMap(\.self)
      try ChildProcess("rotate", on: vault, parameters, journal: journal)
        .kill(after: line, of: journal)
      let object = try open()
      #expect(try object.texts() == SecretVault.many(Self.count))
      #expect(try object.verify().isSound)
      try object.resumeRotation()
      #expect(try !object.isRotationPending)
      let keys = try CapturedKeys(object)
      #expect(!keys.table.hasOldKeys)
      // After the first line, the rotation may not have begun.
      #expect(line == 1 || keys.user != old.user)
      if keys.user != old.user {
        #expect(try old.openings(in: vault.bytes, with: keys) == [])
      }
      #expect(try object.texts() == SecretVault.many(Self.count))
      try object.compact()
      #expect(try vault.temporaryNames() == [])
    }
  }
}
