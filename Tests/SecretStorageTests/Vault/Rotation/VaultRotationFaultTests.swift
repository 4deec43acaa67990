import CLibrary
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Injected failures of every system call of a rotation.
struct VaultRotationFaultTests {
  private let passphrase = Secret("secret".utf8)
  private static let texts = SecretVault.many(14)

  @Test(
    arguments: [false, true],
    Campaign.isFull ? [ENOSPC, EIO, EACCES, EROFS, EMFILE, EINTR] : [ENOSPC])
  func failedCallLosesNothingAndTheRotationGoesOn(_ hasPassphrase: Bool, _ code: Int32) throws {
    var index = Campaign.start
    while true {
      let fault = FaultAtCall(index, code: code, isArmed: false)
      let vault = TestVault()
      let object = vault.open(fileSystem: fault.fileSystem)
      let keys = try make(object, hasPassphrase)
      let old = try CapturedKeys(object)
      fault.arm()
      let error = failure { try object.rotateKeys(keeping: keys) }
      fault.disarm()
      guard let place = fault.failed else {
        #expect(error == nil)
        // The last round injects no fault.
        #expect(index > 20)
        return
      }
      let comment = Comment("error \(code) in call \(index), \(place)")
      if let error {
        guard case .system(let call, let path, code) = error else {
          Issue.record("\(comment.rawValue): \(error)")
          return
        }
        #expect("\(call) \(path)" == place, comment)
        #expect(code != EINTR, comment)
      }
      // The object stays unlocked, even if its view of the progress is stale.
      #expect(try object.texts() == Self.texts, comment)
      let other = vault.open()
      for key in keys { try other.unlock(with: key) }
      #expect(try other.texts() == Self.texts, comment)
      #expect(try other.verify().isSound, comment)
      if error != nil {
        if try other.isRotationPending {
          try other.resumeRotation()
        } else {
          try other.rotateKeys(keeping: keys)
        }
      }
      #expect(try !other.isRotationPending, comment)
      let new = try CapturedKeys(other)
      #expect(try old.openings(in: vault.bytes, with: new) == [], comment)
      try other.compact()
      #expect(try vault.names().filter { $0.hasSuffix(".tmp") }.isEmpty, comment)
      index += Campaign.step
    }
  }

  private func make(_ object: SecretVault, _ hasPassphrase: Bool) throws -> [UnlockKey] {
    try object.addMany(14)
    if !hasPassphrase { return [] }
    try object.setPassphrase(passphrase, cost: .cheap)
    return [.passphrase(passphrase)]
  }

  private func failure(
    of work: () throws -> Void
  ) -> SecretStoreError? {
    do {
      try work()
      return nil
    } catch {
      return error as? SecretStoreError
    }
  }
}
