import CipherSupport
import CLibrary
import FoundationEssentials
import StorageInternals
import Testing

@testable import SecretStorage

/// Slots that need a passphrase together with a key file or a credential.
struct VaultTwoFactorTests {
  private let vault = TestVault()
  private let passphrase = Secret("open sesame".utf8)

  enum Second: CaseIterable, Sendable { case keyFile, credential }

  private func factor(_ second: Second, _ number: UInt8) throws -> UnlockKey.SecondFactor {
    switch second {
    case .keyFile: return .keyFile(try vault.keyFile(number))
    case .credential:
      try vault.giveCredential("vault-key", number)
      return .credential(named: "vault-key")
    }
  }

  /// Makes a vault that only both factors open.
  private func make(_ second: Second, _ cost: PassphraseCost = .cheap) throws {
    let object = try vault.openAsService()
    try object.add("value", account: "a")
    let key = UnlockKey.twoFactors(passphrase: passphrase, try factor(second, 1))
    try object.addSlot(key, named: "both", cost: cost)
    try object.removeSlot(1)
  }

  @Test(arguments: Second.allCases, [PassphraseCost.cheap, .argon2id(.minimum)])
  func onlyBothFactorsOpenTheVault(_ second: Second, _ cost: PassphraseCost) throws {
    try make(second, cost)
    let right = try factor(second, 1)
    let object = try vault.openElsewhere()
    #expect(try object.slots == [.init(id: 2, name: "both", kind: .twoFactors(cost, right.kind))])
    #expect(try object.isLocked && !object.hasPassphrase)

    let wrong = SecretStoreError.wrongKey("The passphrase together with \(right.description)")
    let other = Secret("open barley".utf8)
    #expect(throws: wrong) {
      try object.unlock(with: .twoFactors(passphrase: other, right))
    }
    let wrongFactor = try factor(second, 2)
    let error = try failure {
      try object.unlock(with: .twoFactors(passphrase: passphrase, wrongFactor))
    }
    // The message does not tell which of the two is wrong.
    #expect(
      error == .wrongKey("The passphrase together with \(wrongFactor.description)"))
    #expect(!"\(error)".contains("sesame"))
    #expect(throws: (second == .keyFile ? error : wrong)) {
      try object.unlock(with: .twoFactors(passphrase: other, wrongFactor))
    }
    #expect(try object.isLocked)

    _ = try factor(second, 1)
    try object.unlock(with: .twoFactors(passphrase: passphrase, right))
    #expect(try object.text("a") == "value")
  }

  @Test(arguments: Second.allCases) func eitherFactorAloneOpensNothing(_ second: Second) throws {
    try make(second)
    let object = try vault.openElsewhere()
    let needed = second == .keyFile ? "a key file" : "the credential vault-key"
    let alone: UnlockKey =
      second == .keyFile ? .keyFile(try vault.keyFile(1)) : .credential(named: "vault-key")
    for key in [.passphrase(passphrase), alone] {
      #expect(
        throws: SecretStoreError.invalid(
          "The slot \"both\" needs a passphrase together with \(needed)")
      ) { try object.unlock(with: key) }
    }
    let empty = UnlockKey.twoFactors(passphrase: Secret([]), try factor(second, 1))
    #expect(try failure { try object.unlock(with: empty) }.invalid?.contains("empty") == true)
    #expect(try object.isLocked)
  }

  @Test func aMissingFactorIsToldBeforeAnyDerivation() throws {
    try make(.keyFile)
    let object = vault.open(cipher: MeasuredCipher())
    let path = try vault.path("none")
    let key = UnlockKey.twoFactors(passphrase: passphrase, .keyFile(URL(filePath: path)))
    #expect(throws: SecretStoreError.system(call: "open", path: path, code: ENOENT)) {
      try object.unlock(with: key)
    }
    let short = UnlockKey.twoFactors(
      passphrase: passphrase, .keyFile(try vault.keyFile(9, count: 31)))
    #expect(try failure { try object.unlock(with: short) }.invalid != nil)
    #expect((object.cipher as? MeasuredCipher)?.takeWork().stretched == 0)
  }

  /// The boundary between the factors is part of what is derived.
  @Test func aByteThatMovesFromOneFactorToTheOtherIsWrong() throws {
    let file = try vault.path("file")
    try FileSystem().replaceFile(at: file, with: Array("b".utf8) + Array(repeating: 7, count: 40))
    let object = vault.open()
    let url = URL(filePath: file)
    try object.addSlot(
      .twoFactors(passphrase: Secret("a".utf8), .keyFile(url)), named: "both", cost: .cheap)
    try FileSystem().replaceFile(at: file, with: Array(repeating: 7, count: 40))
    object.lock()
    let error = try failure {
      try object.unlock(with: .twoFactors(passphrase: Secret("ab".utf8), .keyFile(url)))
    }
    guard case .wrongKey = error else {
      Issue.record(error)
      return
    }
  }

  @Test(arguments: [
    PassphraseCost.scrypt(ScryptCost(logarithmicCost: 13, blockSize: 8, parallelization: 1)),
    .scrypt(ScryptCost(logarithmicCost: 21, blockSize: 8, parallelization: 1)),
    .argon2id(Argon2idCost(passes: 1, memory: 19 << 10)),
    .argon2id(Argon2idCost(passes: 4, memory: 18 << 10)),
    .argon2id(Argon2idCost(passes: 0, memory: 1 << 20)),
    .argon2id(Argon2idCost(passes: 17, memory: 1 << 20)),
    .argon2id(Argon2idCost(passes: 2, memory: (1 << 20) + 1)),
    .argon2id(Argon2idCost(passes: .max, memory: .max, lanes: .max)),
    .argon2id(Argon2idCost(passes: 2, memory: 1 << 20, lanes: 0)),
    .argon2id(Argon2idCost(passes: 2, memory: 1 << 20, lanes: 17)),
  ]) func aForgedCostIsRefusedWithoutWork(_ cost: PassphraseCost) throws {
    let object = vault.open()
    let factor = UnlockKey.SecondFactor.keyFile(try vault.keyFile(1))
    let both = UnlockKey.twoFactors(passphrase: passphrase, factor)
    try object.addSlot(both, named: "both", cost: .cheap)
    try object.addSlot(.passphrase(passphrase), named: "one", cost: .cheap)
    for key in [both, .passphrase(passphrase)] {
      let refused = try failure { try object.addSlot(key, named: "other", cost: cost) }
      #expect(refused.invalid?.contains("cost") == true, "\(refused)")
    }
    try vault.changeSlots { slot in
      switch slot.kind {
      case .twoFactors:
        [KeySlot(id: slot.id, name: slot.name, kind: .twoFactors(cost, .keyFile), key: slot.key)]
      case .passphrase:
        [KeySlot(id: slot.id, name: slot.name, kind: .passphrase(cost), key: slot.key)]
      default: [slot]
      }
    }
    for key in [both, .passphrase(passphrase)] {
      let error = try failure { try vault.openElsewhere().unlock(with: key) }
      #expect(error.corrupted?.contains("\" requires ") == true, "\(error)")
    }
  }

  @Test func aForgedSlotIsWrongOrDamaged() throws {
    try make(.keyFile)
    let both = UnlockKey.twoFactors(passphrase: passphrase, .keyFile(try vault.keyFile(1)))
    // The object stays unlocked, and so can forge the slot again.
    let object = vault.open()
    try object.unlock(with: both)
    let sound = try #require(try object.currentTable()?.slots.first)
    func flipped(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
      var bytes = Array(bytes)
      bytes[3] ^= 1
      return bytes[...]
    }
    func error(_ change: (inout KeySlot.SealedUserKey) -> Void) throws -> SecretStoreError {
      var key = sound.key
      change(&key)
      try vault.changeSlotsUnlocked(of: object) { _ in
        [KeySlot(id: 9, name: "forged", kind: sound.kind, key: key)]
      }
      return try failure { try vault.openElsewhere().unlock(with: both) }
    }
    #expect(
      try error { $0.sealed = flipped($0.sealed) }.corrupted
        == "The key slot \"forged\" is damaged, although the two factors are correct")
    let wrong = try [error { $0.check = flipped($0.check) }, error { $0.salt = flipped($0.salt) }]
    for error in wrong {
      guard case .wrongKey = error else {
        Issue.record(error)
        return
      }
    }
  }

  @Test func aRotationKeepsTheSlot() throws {
    try make(.keyFile)
    let both = UnlockKey.twoFactors(passphrase: passphrase, .keyFile(try vault.keyFile(1)))
    let object = vault.open()
    try object.unlock(with: both)
    let bound = Accessibility.whenPasscodeSetThisDeviceOnly
    try object.add("bound", account: "bound", bound)
    try object.rotateKeys(keeping: [both])
    let other = vault.open()
    try other.unlock(with: both)
    #expect(try other.texts() == ["a": "value", "bound": "bound"])
    #expect(try failure { try object.rotateKeys() }.invalid != nil)
  }

  @Test func askingAsksForThePassphraseOfBoth() async throws {
    try make(.keyFile)
    let object = vault.open()
    let person = ScriptedConversation("open barley", "open sesame")
    try await object.unlock(asking: person, with: .keyFile(try vault.keyFile(1)))
    #expect(try object.text("a") == "value")
    #expect(
      person.log.contains("error: The passphrase or the second factor is wrong. Try again."))

    object.lock()
    let silent = ScriptedConversation()
    let missing = URL(filePath: try vault.path("none"))
    for factor in [nil, UnlockKey.SecondFactor.keyFile(missing), .credential(named: "vault-key")] {
      await #expect(throws: SecretStoreError.self) {
        try await object.unlock(asking: silent, with: factor)
      }
    }
    #expect(silent.log == [])
  }

  @Test func aSlotOfANewerSecondFactorOrDerivationIsKept() throws {
    for content: [UInt8] in [[8, 1, 2, 3], [3, 9, 4, 5], [3]] {
      var slot: [UInt8] = []
      slot.append(littleEndian: UInt32(7))
      slot.append(counted: "new".utf8)
      slot += [6] + content
      if content.count == 1 {
        #expect(throws: MalformedRecord.self) { try KeySlot(decoding: slot[...]) }
        continue
      }
      let decoded = try KeySlot(decoding: slot[...])
      #expect(decoded.kind == .unknown(type: 6))
      #expect(decoded.encoded == slot)
    }
  }

  /// A machine without a library for Argon2id.
  private struct OldCipher: ForwardingCipher {
    let cipher = OpenSSLCipher()

    func stretch(
      _ passphrase: Secret, salt: ArraySlice<UInt8>, cost: Argon2idCost
    ) throws(SecretStoreError) -> Secret {
      throw .missingLibrary("Install it.")
    }
  }

  @Test func aMachineWithoutArgon2idSaysWhatTheVaultNeeds() throws {
    try vault.open().setPassphrase(passphrase, cost: .argon2id(.minimum))
    let object = vault.open(cipher: OldCipher())
    #expect(
      throws: SecretStoreError.missingLibrary(
        "The key slot \"passphrase\" needs Argon2id. Install it.")
    ) { try object.unlock(with: .passphrase(passphrase)) }
    #expect(throws: SecretStoreError.missingLibrary("Install it.")) {
      try Argon2idCost.calibrated(to: .milliseconds(1), cipher: OldCipher())
    }
  }

  @Test func aPassphraseMovesToArgon2idAndBack() throws {
    let object = vault.open()
    try object.add("value", account: "a")
    try object.setPassphrase(passphrase, cost: .cheap)
    for cost in [PassphraseCost.argon2id(Argon2idCost(passes: 2, memory: 20 << 10)), .cheap] {
      try object.changePassphrase(from: passphrase, to: passphrase, cost: cost)
      #expect(try object.slots.map(\.kind) == [.passphrase(cost)])
      let other = try vault.openElsewhere()
      #expect(throws: SecretStoreError.wrongPassphrase) {
        try other.unlock(with: .passphrase(Secret("open barley".utf8)))
      }
      try other.unlock(with: .passphrase(passphrase))
      #expect(try other.text("a") == "value")
    }
  }

  @Test func calibrationDoublesTheMemory() throws {
    let cost = try Argon2idCost.calibrated(to: .nanoseconds(1))
    #expect(cost == .minimum)
    var doubled = [Argon2idCost.minimum]
    while let next = doubled.last?.doubled { doubled.append(next) }
    #expect(doubled.map { $0.memory >> 10 } == [19, 38, 76, 152, 304, 608])
    #expect(doubled.allSatisfy { $0.isAffordable && $0.isSufficient })
  }
}
