import CLibrary
import Concurrency
import FoundationEssentials
import StorageInternals
import Testing

@testable import SecretStorage

struct DiagnosisTests {
  private let vault = TestVault()

  private func text(_ subject: String, in diagnosis: Diagnosis) -> String? {
    diagnosis.findings.first { $0.subject == subject }?.text
  }

  private func fill(account: String = "mata.hari") throws {
    _ = try vault.open().add(
      Secret("hush hush".utf8), identity: .generic(service: "clandestine", account: account),
      attributes: ItemAttributes(label: "Paris"))
  }

  private func expectProblem(
    _ subject: String, saying words: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let problems = vault.open().diagnose().problems
    #expect(problems.map(\.subject) == [subject], sourceLocation: sourceLocation)
    #expect(problems.first?.text.contains(words) == true, sourceLocation: sourceLocation)
  }

  @Test func absentVaultIsHealthyAndStaysAbsent() {
    let diagnosis = vault.open().diagnose()
    #expect(diagnosis.isHealthy)
    #expect(text("Vault file", in: diagnosis)?.contains("does not exist yet") == true)
    #expect(text("Items", in: diagnosis) == "0")
    #expect(!FileManager.default.fileExists(atPath: vault.directory.path))
  }

  @Test func filesAreReportedWithTheirModes() throws {
    try fill()
    let before = try FileManager.default.subpathsOfDirectory(atPath: vault.directory.path)
    let diagnosis = vault.open().diagnose()
    #expect(diagnosis.isHealthy, "\(diagnosis)")
    for (subject, path) in [
      ("Vault file", vault.file.path), ("Lock file", vault.file.path + ".lock"),
      ("Device key", vault.state.path + "/device.key"),
    ] {
      let found = try #require(text(subject, in: diagnosis))
      #expect(found.hasPrefix("\(path), ") && found.hasSuffix("mode 0600"))
    }
    #expect(text("State directory", in: diagnosis) == "\(vault.state.path), mode 0700")
    #expect(text("Items", in: diagnosis) == "1")
    #expect(text("Opened by", in: diagnosis) == "this device's key")
    #expect(text("Locked", in: diagnosis) == "no")
    let after = try FileManager.default.subpathsOfDirectory(atPath: vault.directory.path)
    #expect(Set(before) == Set(after))
  }

  @Test func reportNamesNoItem() throws {
    try fill()
    let report = "\(vault.open().diagnose())"
    for word in ["hush", "clandestine", "mata.hari", "Paris"] { #expect(!report.contains(word)) }
    #expect(report.hasSuffix("\nNo problem was found."))
  }

  @Test func lockedVaultIsHealthyWithUnknownItems() throws {
    try fill()
    let locked = vault.open()
    locked.lock()
    #expect(text("Locked", in: locked.diagnose()) == "yes: unlock it with unlock()")
    try vault.open().setPassphrase(Secret("open sesame".utf8), cost: .cheap)
    let other = vault.open()
    #expect(text("Locked", in: other.diagnose()) == "yes: unlock it with its passphrase")
    #expect(text("Items", in: other.diagnose()) == "unknown while the vault is locked")
    #expect(text("Opened by", in: other.diagnose()) == "a passphrase")
    #expect(other.diagnose().isHealthy)
    try other.unlock(with: .passphrase(Secret("open sesame".utf8)))
    #expect(text("Items", in: other.diagnose()) == "1")
  }

  @Test func lockedErrorNamesKeysOfTheVault() throws {
    try fill()
    let object = vault.open()
    func expectLocked(_ keys: String, _ body: () throws -> Void) throws {
      let error = try failure(body)
      #expect(error == .locked(keys))
      #expect(error.errorDescription == "The vault is locked. Unlock it with \(keys).")
    }
    object.lock()
    try expectLocked("unlock()") { try object.addSlot(.device, named: "device") }
    try object.unlock()
    try object.setPassphrase(Secret("open sesame".utf8), cost: .cheap)
    try expectLocked("its passphrase") { try vault.open().unlock() }
    for number in 1...UInt8(5) {
      try object.addSlot(.keyFile(try vault.keyFile(number)), named: "stick \(number)")
    }
    _ = try object.addRecoveryCode(named: "paper")
    object.lock()
    let keys = "its passphrase, its key file or its recovery code"
    try expectLocked(keys) { try object.renameSlot(1, to: "other") }
    try expectLocked(keys) { try object.unlock() }
    #expect(text("Locked", in: object.diagnose()) == "yes: unlock it with \(keys)")
  }

  @Test func vaultOfAnotherDeviceIsAProblem() throws {
    try fill()
    try FileManager.default.removeItem(at: vault.state)
    expectProblem("Locked", saying: SecretStoreError.otherDevice("The vault").description)
  }

  @Test func filesReadableByOthersAreProblems() throws {
    try fill()
    for path in [vault.file.path, vault.state.path + "/device.key"] {
      #expect(unsafe chmod(path, 0o644) == 0)
    }
    let diagnosis = vault.open().diagnose()
    #expect(diagnosis.problems.map(\.subject) == ["Vault file", "Device key"])
    #expect(diagnosis.problems.allSatisfy { $0.text.contains("chmod 600") })
  }

  @Test func unfinishedRotationIsReported() throws {
    try fill()
    let object = vault.open()
    #expect(text("Keys", in: object.diagnose()) == nil)
    try object.rotateKeys(givingUpAt: 0)
    let diagnosis = vault.open().diagnose()
    #expect(text("Keys", in: diagnosis)?.contains("resumeRotation()") == true)
    #expect(diagnosis.isHealthy)
    try object.resumeRotation()
    #expect(text("Keys", in: object.diagnose()) == nil)
  }

  @Test func directoriesWritableByOthersAreProblems() throws {
    try fill()
    #expect(unsafe chmod(vault.state.path, 0o777) == 0)
    expectProblem("State directory", saying: "chmod go-w")
  }

  @Test func missingDirectoryMustBeCreatable() throws {
    try FileManager.default.createDirectory(
      at: vault.directory, withIntermediateDirectories: true)
    #expect(
      text("State directory", in: vault.open().diagnose())?.contains("does not exist yet") == true)
    #expect(unsafe chmod(vault.directory.path, 0o500) == 0)
    // The superuser can write anywhere.
    #expect(vault.open().diagnose().isHealthy == (geteuid() == 0))
    #expect(unsafe chmod(vault.directory.path, 0o700) == 0)
  }

  @Test func fileInPlaceOfADirectoryIsAProblem() throws {
    try fill()
    let inFile = SecretVault(
      fileURL: vault.file.appending(path: "secrets.vault"), stateDirectory: vault.file)
    let subjects = Set(inFile.diagnose().problems.map(\.subject))
    #expect(subjects.isSuperset(of: ["Vault directory", "State directory"]))
  }

  @Test func damageIsAProblemWithItsPlace() throws {
    try fill()
    try fill(account: "second")
    var content = try Data(contentsOf: vault.file)
    content[content.count - 3] ^= 1
    try content.write(to: vault.file)
    expectProblem("Damage", saying: "bytes ")
    let diagnosis = vault.open().diagnose()
    #expect("\(diagnosis)".contains("\n! Damage "))
    #expect("\(diagnosis)".contains("\nOne problem was found"))
  }

  @Test func invalidFileIsAProblem() throws {
    try fill()
    try Data("#!/bin/sh\n".utf8).write(to: vault.file)
    expectProblem("Vault", saying: "is not a vault")
  }

  @Test func restoredOlderCopyIsAProblem() throws {
    try fill()
    let older = try Data(contentsOf: vault.file)
    try fill(account: "second")
    try older.write(to: vault.file)
    expectProblem("Content", saying: "an older copy was restored")
  }

  @Test func overriddenDefaultStoreIsReported() {
    let diagnosis = SecretStores.withDefaultStore(InMemorySecretStore()) { SecretStores.diagnose() }
    #expect(text("Default store", in: diagnosis)?.hasPrefix("InMemorySecretStore") == true)
    #expect(text("Items", in: diagnosis) == "0")
    #expect(text("Guarantees", in: diagnosis) == "none: items end with the store")
    #expect(diagnosis.isHealthy)
  }

  @Test func environmentAndLibraryAreReported() {
    let diagnosis = SecretStores.withDefaultStore(vault.open()) { SecretStores.diagnose() }
    #expect(text("Cryptography", in: vault.open().diagnose())?.contains("Cipher") == true)
    let plain = SecretVault(fileURL: vault.file, stateDirectory: vault.state).diagnose()
    #expect(text("Cryptography", in: plain)?.hasPrefix("OpenSSL, libcrypto.so.") == true)
    #expect(text("Environment", in: diagnosis)?.contains("XDG_STATE_HOME") == true)
    #expect(text("Locked memory", in: diagnosis)?.contains("RLIMIT_MEMLOCK") == true)
    let library = LibPAM.shared.createdValue == nil ? "libpam0g" : "libpam.so.0"
    #expect(text("PAM", in: plain)?.contains(library) == true)
  }

  @Test func authenticatorIsReportedWithItsProofs() throws {
    let none = "none: for items that need a proof, the context must have one"
    #expect(text("Authenticator", in: vault.open().diagnose()) == none)
    let own = vault.open(authenticator: PassphraseAuthenticator())
    #expect(
      text("Authenticator", in: own.diagnose())
        == "PassphraseAuthenticator, which can prove nothing at present")
    try own.setPassphrase(Secret("open sesame".utf8), cost: .cheap)
    #expect(
      text("Authenticator", in: own.diagnose())
        == "PassphraseAuthenticator, which can prove a passcode")
    #expect(own.diagnose().isHealthy)
  }

  @Test func unusableAuthenticatorIsAProblem() {
    let own = vault.open(authenticator: PAMAuthenticator(service: "locket-tests-nowhere"))
    let diagnosis = own.diagnose()
    #expect(diagnosis.problems.map(\.subject) == ["Authenticator"])
    #expect(diagnosis.problems.first?.text.hasPrefix("PAMAuthenticator: ") == true)
  }

  @Test func diagnosisKeepsTheDefaultStoreOpen() async {
    await #expect(processExitsWith: .success) {
      let diagnosis = SecretStores.diagnose()
      #expect(diagnosis.findings.first?.text.contains("not used by this process yet") == true)
      SecretStores.bootstrap(InMemorySecretStore())
      let named = SecretStores.diagnose().findings.first?.text
      #expect(named == "InMemorySecretStore, set by bootstrap(_:)")
    }
  }
}
