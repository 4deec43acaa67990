import FoundationEssentials
import TestSupport
import Testing

@testable import SecretStorage

@Suite(.enabled(if: PAMDirectory.isPossible, "There is no libpam.so.0 of version 1.4 or newer."))
struct PAMAuthenticatorTests {
  private let services: PAMDirectory
  private let person = ScriptedConversation()

  init() throws { services = try PAMDirectory() }

  private static let permit = ["auth required pam_permit.so", "account required pam_permit.so"]

  private func permitting(
    hasFingerprintReader: Bool = false, service: String = "test"
  ) throws -> PAMAuthenticator {
    try services.authenticator(
      Self.permit[0], Self.permit[1], service: service, hasFingerprintReader: hasFingerprintReader,
      with: person)
  }

  @Test func fingerprintServiceProvesBiometry() async throws {
    let authenticator = try permitting(hasFingerprintReader: true)
    #expect(await authenticator.outcome() == .success(.biometry))
    #expect(await authenticator.outcome(accepting: .biometry) == .success(.biometry))
    #expect(
      await authenticator.outcome(accepting: .passcode).denial?.contains("was proved") == true)
  }

  @Test(arguments: [
    ("deny", "permit", "the PAM service test reported: Authentication failure"),
    ("permit", "deny", "the PAM service test"),
  ])
  func denyingModuleIsADenialWithItsReason(auth: String, account: String, reason: String)
    async throws
  {
    let outcome = try await services.authenticator(
      "auth required pam_\(auth).so", "account required pam_\(account).so", with: person
    ).outcome()
    #expect(outcome.denial?.hasPrefix(reason) == true, "\(outcome)")
  }

  @Test func unavailableProofIsDeniedWithoutAQuestion() async throws {
    let authenticator = try permitting()
    for proofs: AuthenticationProofs in [.biometry, .presence, [.biometry, .presence], []] {
      #expect(await authenticator.outcome(accepting: proofs).denial?.contains("PAM proves") == true)
    }
  }

  @Test func fingerprintReaderAddsACapability() throws {
    #expect(try permitting().capabilities == .passcode)
    #expect(try permitting(hasFingerprintReader: true).capabilities == [.passcode, .biometry])
    #expect(try permitting().enrolledSet == nil)
  }

  @Test func missingServiceIsUnavailable() async throws {
    let authenticator = PAMAuthenticator(
      service: PAMService(name: "nowhere", directory: services.directory.path),
      conversation: person)
    #expect(authenticator.capabilities == [])
    let text = try #require(await authenticator.outcome().unavailability)
    #expect(text.contains("The PAM service nowhere does not exist"), "\(text)")
    let system = PAMAuthenticator(service: "locket-tests-nowhere", conversation: person)
    #expect(system.capabilities == [])
    #expect(await system.outcome().unavailability?.contains("/etc/pam.d") == true)
  }

  @Test func serviceNameIsCaseInsensitive() async throws {
    _ = try permitting(service: "mixed")
    let authenticator = PAMAuthenticator(
      service: PAMService(name: "MiXed", directory: services.directory.path), conversation: person)
    #expect(await authenticator.outcome() == .success(.passcode))
  }

  @Test(arguments: ["", "a/b", "/etc/pam.d/login", "a\0b"])
  func serviceNameMustBeAFileName(name: String) async {
    let authenticator = PAMAuthenticator(service: name, conversation: person)
    #expect(authenticator.capabilities == [])
    #expect(await authenticator.outcome().error?.invalid != nil)
  }

  @Test func missingModuleIsUnavailable() async throws {
    let authenticator = try services.authenticator(
      "auth required \(services.directory("nowhere.so"))", Self.permit[1], with: person)
    let text = try #require(await authenticator.outcome().unavailability)
    #expect(text.contains("Module is unknown"), "\(text)")
  }

  @Test func malformedServiceIsAFailure() async throws {
    #expect(try await services.authenticator("gibberish", with: person).outcome().error != nil)
  }

  @Test func concurrentAuthenticationsSucceed() async throws {
    let authenticator = try permitting()
    let proofs = await withTaskGroup { group in
      for _ in 0..<32 { group.addTask { await authenticator.outcome() } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(proofs == Array(repeating: .success(.passcode), count: 32))
    #expect(person.log == [])
  }

  @Test func userOfTheProcessHasAName() throws {
    #expect(try ProcessUser.name == ProcessInfo.processInfo.userName)
  }

  @Test(.enabled(if: PAMDirectory.hasModule("pam_exec.so"), "The module pam_exec.so is missing."))
  func execModuleGetsTheTypedPassword() async throws {
    let script = try services.script("read -r typed; [ \"$typed\" = 'The Valley Wind' ]")
    for (typed, isRight) in [("The Valley Wind", true), ("The Sixth Station", false), ("", false)] {
      let person = ScriptedConversation(typed)
      let authenticator = try services.authenticator(
        "auth [success=1 default=ignore] pam_exec.so quiet expose_authtok \(script)",
        "auth requisite pam_deny.so", Self.permit[0], Self.permit[1], with: person)
      let outcome = await authenticator.outcome(because: "Show the recovery key")
      if isRight { #expect(outcome == .success(.passcode)) } else { #expect(outcome.denial != nil) }
      #expect(person.log == ["reason: Show the recovery key", "hidden: Password: "])
      #expect(!"\(outcome)".contains("Station"))
    }
  }

  @Test(.enabled(if: PAMDirectory.hasModule("pam_echo.so"), "The module pam_echo.so is missing."))
  func messageOfTheEchoModuleIsShown() async throws {
    let authenticator = try services.authenticator(
      "auth optional pam_echo.so Hello %u", Self.permit[0], Self.permit[1], user: "kiki",
      with: person)
    #expect(await authenticator.outcome() == .success(.passcode))
    #expect(person.log == ["reason: Because", "information: Hello kiki"])
  }

  @Test(.enabled(if: PAMDirectory.hasModule("pam_exec.so"), "The module pam_exec.so is missing."))
  func cancellationDoesNotWaitForASlowModule() async throws {
    let (here, go) = (services.directory("here"), services.directory("go"))
    let script = try services.script(
      "touch \(here); while [ -e \(here) -a ! -e \(go) ]; do sleep 0.01; done")
    let slow = try services.authenticator(
      "auth required pam_exec.so quiet \(script)", Self.permit[1], service: "slow", with: person)
    let task = Task { await slow.outcome() }
    try await suspend { FileManager.default.fileExists(atPath: here) }
    task.cancel()
    #expect(await task.value == .failure(.cancelled))
    #expect(!FileManager.default.fileExists(atPath: go))
    #expect(try await permitting().outcome() == .success(.passcode))
    try services.makeFile(go)
    #expect(await slow.outcome() == .success(.passcode))
  }

  @Test func cancelledTaskMakesNoRequest() async throws {
    let authenticator = try permitting()
    let outcome = await withTaskGroup(of: Result<AuthenticationProofs, SecretStoreError>.self) {
      group in
      group.cancelAll()
      group.addTask { await authenticator.outcome() }
      return await group.next()
    }
    #expect(outcome == .failure(.cancelled))
  }
}
