import CLibrary
import TestSupport
import Testing

@testable import SecretStorage

/// Failures of every system call of a rotation, and processes killed in the middle of one.
struct VaultRotationFailureTests {
  /// More than one batch of a rotation in a process.
  private static let count = 300

  @Test(
    arguments: [false, true],
    Campaign.isFull ? [ENOSPC, EIO, EACCES, EROFS, EMFILE, EINTR] : [ENOSPC])
  func failedRotationLosesNothingAndIsResumed(_ hasPassphrase: Bool, _ code: Int32) throws {
    let passphrase = hasPassphrase ? TestVault.passphrase : nil
    let vault = TestVault(batchSize: 3)
    let maker = hasPassphrase ? try vault.protected() : vault.open()
    try maker.addMany(4)
    let old = try CapturedKeys(maker)
    let (bytes, state) = try vault.snapshot
    let count = try FaultAtCall.atEachCall(code: code) { fault in
      try vault.restore(bytes, state)
      let object = try vault.unlocked(by: passphrase, fileSystem: fault.fileSystem)
      let hasFailed = fault.causesError { try object.rotate() }
      let comment = Comment("error \(code) in \(fault.failed ?? "no call")")
      // The object stays unlocked, even if its view of the progress is stale.
      #expect(try object.texts() == SecretVault.many(4), comment)
      let other = try vault.unlocked(by: passphrase)
      try other.expectSound(SecretVault.many(4), comment)
      if hasFailed {
        if try other.isRotationPending { try other.resumeRotation() } else { try other.rotate() }
      }
      #expect(try !other.isRotationPending, comment)
      #expect(try old.openings(in: vault.bytes, with: CapturedKeys(other)) == [], comment)
      try other.compact()
      #expect(try vault.temporaryNames() == [], comment)
    }
    #expect(count > 20)
  }

  @Test(arguments: [false, true])
  func killedRotationLosesNothingAndIsResumed(_ hasPassphrase: Bool) throws {
    let passphrase = hasPassphrase ? TestVault.passphrase : nil
    var vault = TestVault()
    // A rotation begins, reports 0, 256 and 300 items, and ends: five lines.
    let lines = ChildProcess.lines(hasPassphrase ? [2, 4] : [1, 3], campaign: 100, 5)
    for (round, line) in lines.enumerated() {
      if round % 20 == 0 {
        vault = TestVault()
        try (hasPassphrase ? vault.protected() : vault.open()).addMany(Self.count)
      }
      let old = try CapturedKeys(vault.unlocked(by: passphrase))
      let journal = try vault.path("journal-\(round)")
      let parameters = ["-"] + [passphrase?.text].compactMap(\.self)
      try ChildProcess("rotate", on: vault, parameters, journal: journal)
        .kill(after: line, of: journal)
      let object = try vault.unlocked(by: passphrase)
      try object.expectSound(SecretVault.many(Self.count))
      try object.resumeRotation()
      #expect(try !object.isRotationPending)
      let keys = try CapturedKeys(object)
      #expect(!keys.table.hasOldKeys)
      // After the first line, the rotation may not have begun.
      #expect(line == 1 || keys.user != old.user)
      if keys.user != old.user { #expect(try old.openings(in: vault.bytes, with: keys) == []) }
      #expect(try object.texts() == SecretVault.many(Self.count))
      try object.compact()
      #expect(try vault.temporaryNames() == [])
    }
  }
}
