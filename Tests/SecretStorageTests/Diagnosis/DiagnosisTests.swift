import CLibrary
import Concurrency
import FoundationEssentials
import StorageInternals
import Testing

@testable import SecretStorage

struct DiagnosisTests {
  private let vault = TestVault()

  private func fill(account: String = "mata.hari") throws {
    try vault.open().add("hush hush", account: account, label: "Paris")
  }

  @Test func absentVaultIsHealthyAndStaysAbsent() {
    let diagnosis = vault.open().diagnose()
    #expect(diagnosis.isHealthy)
    #expect(diagnosis["Vault file"]?.contains("does not exist yet") == true)
    #expect(diagnosis["Items"] == "0")
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
      let found = try #require(diagnosis[subject])
      #expect(found.hasPrefix("\(path), ") && found.hasSuffix("mode 0600"))
    }
    #expect(diagnosis["State directory"] == "\(vault.state.path), mode 0700")
    #expect(diagnosis["Items"] == "1")
    #expect(diagnosis["Opened by"] == "this device's key")
    #expect(diagnosis["Locked"] == "no")
    let after = try FileManager.default.subpathsOfDirectory(atPath: vault.directory.path)
    #expect(Set(before) == Set(after))
  }

  @Test func reportNamesNoItem() throws {
    try fill()
    let report = "\(vault.open().diagnose())"
    for word in ["hush", "campaign", "mata.hari", "Paris"] { #expect(!report.contains(word)) }
    #expect(report.hasSuffix("\nNo problem was found."))
  }

  @Test func lockedVaultIsHealthyWithUnknownItems() throws {
    try fill()
    let locked = vault.open()
    locked.lock()
    #expect(locked.diagnose()["Locked"] == "yes: unlock it with unlock()")
    try vault.open().setPassphrase("open sesame", cost: .cheap)
    let other = vault.open()
    #expect(other.diagnose()["Locked"] == "yes: unlock it with its passphrase")
    #expect(other.diagnose()["Items"] == "unknown while the vault is locked")
    #expect(other.diagnose()["Opened by"] == "a passphrase")
    #expect(other.diagnose().isHealthy)
    try other.unlock(with: .passphrase("open sesame"))
    #expect(other.diagnose()["Items"] == "1")
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
    try object.setPassphrase("open sesame", cost: .cheap)
    try expectLocked("its passphrase") { try vault.open().unlock() }
    for number in 1...UInt8(5) {
      try object.addSlot(.keyFile(try vault.keyFile(number)), named: "stick \(number)")
    }
    _ = try object.addRecoveryCode(named: "paper")
    object.lock()
    let keys = "its passphrase, its key file or its recovery code"
    try expectLocked(keys) { try object.renameSlot(1, to: "other") }
    try expectLocked(keys) { try object.unlock() }
    #expect(object.diagnose()["Locked"] == "yes: unlock it with \(keys)")
  }

  private typealias Cause = @Sendable (TestVault) throws -> Void

  private static let causes: [(subject: String, words: String, cause: Cause)] = [
    (
      "Locked", SecretStoreError.otherDevice("The vault").description,
      { try FileManager.default.removeItem(at: $0.state) }
    ),
    ("State directory", "chmod go-w", { #expect(unsafe chmod($0.statePath, 0o777) == 0) }),
    ("Damage", "bytes ", { try $0.damage(at: $0.bytes.count - 3) }),
    ("Vault", "is not a vault", { try $0.replace(by: "#!/bin/sh\n".utf8) }),
    ("Content", "an older copy was restored", { try $0.replace(by: $0.writeTwice().old) }),
  ]

  @Test(arguments: causes)
  private func problemIsReportedAlone(_ subject: String, _ words: String, _ cause: Cause) throws {
    try fill()
    try fill(account: "second")
    try cause(vault)
    let diagnosis = vault.open().diagnose()
    #expect(diagnosis.problems.map(\.subject) == [subject])
    #expect(diagnosis.problems.first?.text.contains(words) == true)
    #expect("\(diagnosis)".contains("\n! \(subject) "))
    #expect("\(diagnosis)".contains("\nOne problem was found"))
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
    #expect(object.diagnose()["Keys"] == nil)
    try object.rotateKeys(givingUpAt: 0)
    let diagnosis = vault.open().diagnose()
    #expect(diagnosis["Keys"]?.contains("resumeRotation()") == true)
    #expect(diagnosis.isHealthy)
    try object.resumeRotation()
    #expect(object.diagnose()["Keys"] == nil)
  }

  @Test func missingDirectoryMustBeCreatable() throws {
    try FileSystem().makeDirectories(vault.directory.path)
    #expect(vault.open().diagnose()["State directory"]?.contains("does not exist yet") == true)
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

  @Test func overriddenDefaultStoreIsReported() {
    let diagnosis = SecretStores.withDefaultStore(InMemorySecretStore()) { SecretStores.diagnose() }
    #expect(diagnosis["Default store"]?.hasPrefix("InMemorySecretStore") == true)
    #expect(diagnosis["Items"] == "0")
    #expect(diagnosis["Guarantees"] == "enforces access control; items may end with the store")
    #expect(diagnosis.isHealthy)
  }

  @Test func environmentAndLibraryAreReported() {
    let diagnosis = SecretStores.withDefaultStore(vault.open()) { SecretStores.diagnose() }
    #expect(vault.open().diagnose()["Cryptography"]?.contains("Cipher") == true)
    let plain = SecretVault(fileURL: vault.file, stateDirectory: vault.state).diagnose()
    #expect(plain["Cryptography"]?.hasPrefix("OpenSSL, libcrypto.so.") == true)
    #expect(diagnosis["Environment"]?.contains("XDG_STATE_HOME") == true)
    #expect(diagnosis["Locked memory"]?.contains("RLIMIT_MEMLOCK") == true)
    let library = LibPAM.shared.createdValue == nil ? "libpam0g" : "libpam.so.0"
    #expect(plain["PAM"]?.contains(library) == true)
  }

  @Test func authenticatorIsReportedWithItsProofs() throws {
    let none = "none: for items that need a proof, the context must have one"
    #expect(vault.open().diagnose()["Authenticator"] == none)
    let own = vault.open(authenticator: PassphraseAuthenticator())
    let absent = "PassphraseAuthenticator, which can prove nothing at present"
    #expect(own.diagnose()["Authenticator"] == absent)
    try own.setPassphrase("open sesame", cost: .cheap)
    let present = "PassphraseAuthenticator, which can prove a passcode"
    #expect(own.diagnose()["Authenticator"] == present)
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
