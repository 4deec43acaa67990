import CLibrary
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Injected failures of every system call of a rotation.
struct VaultRotationFaultTests {
  @Test(
    arguments: [nil, "secret"],
    Campaign.isFull ? [ENOSPC, EIO, EACCES, EROFS, EMFILE, EINTR] : [ENOSPC])
  func failedRotationLosesNothingAndIsResumed(_ passphrase: String?, _ code: Int32) throws {
    let keys = passphrase.map { [UnlockKey.passphrase(Secret($0.utf8))] } ?? []
    let vault = TestVault(batchSize: 3)
    let texts = SecretVault.many(4)
    let maker = vault.open()
    try maker.addMany(4)
    if let passphrase { try maker.setPassphrase(Secret(passphrase.utf8), cost: .cheap) }
    let old = try CapturedKeys(maker)
    let (bytes, state) = (try vault.bytes, try vault.rememberedState())
    func open(_ fileSystem: FileSystem = FileSystem()) throws -> SecretVault {
      let object = vault.open(fileSystem: fileSystem)
      for key in keys { try object.unlock(with: key) }
      return object
    }
    let count = try FaultAtCall.atEachCall(code: code) { fault in
      try vault.replace(by: bytes)
      try vault.restoreState(state)
      let object = try open(fault.fileSystem)
      let hasFailed = fault.causesError { try object.rotateKeys(keeping: keys) }
      let comment = Comment("error \(code) in \(fault.failed ?? "no call")")
      // The object stays unlocked, even if its view of the progress is stale.
      #expect(try object.texts() == texts, comment)
      let other = try open()
      #expect(try other.texts() == texts, comment)
      #expect(try other.verify().isSound, comment)
      if hasFailed {
        if try other.isRotationPending {
          try other.resumeRotation()
        } else {
          try other.rotateKeys(keeping: keys)
        }
      }
      #expect(try !other.isRotationPending, comment)
      #expect(try old.openings(in: vault.bytes, with: CapturedKeys(other)) == [], comment)
      try other.compact()
      #expect(try vault.temporaryNames() == [], comment)
    }
    #expect(count > 20)
  }
}
