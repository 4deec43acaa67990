import FoundationEssentials
import TestSupport
import Testing

@testable import SecretStorage

/// The questions and messages of PAM modules, through a module that the test builds.
@Suite(
  .enabled(if: PAMDirectory.isPossible, "There is no libpam.so.0 of version 1.4 or newer."),
  .enabled(if: PAMModule.isThere, "There is no C compiler to build a module of PAM with."))
struct PAMConversationTests {
  private static let account = "account required pam_permit.so"
  private let services: PAMDirectory

  init() throws {
    services = try PAMDirectory()
  }

  private func outcome(
    _ module: String, _ person: ScriptedConversation, hasFingerprintReader: Bool = false,
    accepting accepted: AuthenticationProofs = .any
  ) async throws -> Result<AuthenticationProofs, SecretStoreError> {
    try await services.authenticator(
      "auth \(module)", Self.account, hasFingerprintReader: hasFingerprintReader, with: person
    ).outcome(accepting: accepted)
  }

  @Test(arguments: [true, false])
  func twoQuestionsAreAskedInTheirOrder(inOneCall: Bool) async throws {
    let person = ScriptedConversation("one", "two")
    let module =
      try inOneCall
      ? services.module("visible=First: ", "hidden=Second: ", "send", "expect=one", "expect=two")
      : services.module(
        "visible=First: ", "send", "expect=one", "hidden=Second: ", "send", "expect=two")
    #expect(try await outcome(module, person) == .success(.passcode))
    #expect(person.log == ["reason: Because", "visible: First: ", "hidden: Second: "])
  }

  @Test func messagesAndQuestionsOfOneCallGetAnswers() async throws {
    let person = ScriptedConversation("Kiki", "13")
    let module = try services.module(
      "info=Welcome", "visible=Name: ", "error=Too young", "hidden=Age: ", "null", "send",
      "silent", "expect=Kiki", "silent", "expect=13", "silent")
    #expect(try await outcome(module, person) == .success(.passcode))
    #expect(
      person.log == [
        "reason: Because", "information: Welcome", "visible: Name: ", "error: Too young",
        "hidden: Age: ", "information: ",
      ])
  }

  @Test func wrongAnswerIsADenialWithoutTheAnswer() async throws {
    let person = ScriptedConversation("hush")
    let module = try services.module("hidden=Password: ", "send", "expect=right")
    let outcome = try await outcome(module, person)
    #expect(outcome.denial?.contains("Authentication failure") == true)
    #expect(!"\(outcome)".contains("hush"))
  }

  @Test func answerIsPassedByteForByte() async throws {
    for count in [0, 1, 64 * 1024] {
      let person = ScriptedConversation(
        result: .success(Secret([UInt8](repeating: 0x78, count: count))))
      let module = try services.module("hidden=Password: ", "send", "length=\(count)")
      #expect(try await outcome(module, person) == .success(.passcode))
    }
    let person = ScriptedConversation(result: .success(Secret([0xFF, 0xFE, 0x80, 0x0A, 0x20])))
    let module = try services.module("hidden=Password: ", "send", "bytes=fffe800a20")
    #expect(try await outcome(module, person) == .success(.passcode))
  }

  @Test func answerWithAZeroByteIsAnError() async throws {
    let module = try services.module("hidden=Password: ", "send", "expect=right")
    let outcome = try await outcome(module, ScriptedConversation("right\0x"))
    #expect(outcome.error?.invalid?.contains("zero byte") == true)
  }

  @Test func invalidUTF8OfAMessageIsReplaced() async throws {
    let person = ScriptedConversation("")
    let module = try services.module("info=caf\u{E9}", "send", "silent")
    _ = try services.authenticator("auth \(module)", Self.account, with: person)
    let path = services.directory("test")
    // ISO 8859-1, which some old translations use.
    let bytes = try content(of: path).filter { $0 != 0xC3 }.map { $0 == 0xA9 ? 0xE9 : $0 }
    try Data(bytes).write(to: URL(filePath: path))
    let authenticator = PAMAuthenticator(
      service: PAMService(name: "test", directory: services.directory.path), conversation: person)
    #expect(await authenticator.outcome() == .success(.passcode))
    #expect(person.log == ["reason: Because", "information: caf\u{FFFD}"])
  }

  @Test func maximumOfMessagesIsShown() async throws {
    let person = ScriptedConversation()
    #expect(try await outcome(services.module("count=32", "send"), person) == .success(.passcode))
    #expect(person.log.count == 33)
  }

  @Test(arguments: [33, 1000, -1])
  func invalidNumberOfMessagesIsAnError(count: Int) async throws {
    let person = ScriptedConversation()
    let text = try await outcome(services.module("count=\(count)", "send"), person).unavailability
    #expect(text?.contains("sent \(count) messages in one call") == true)
    #expect(person.log == [])
  }

  @Test(arguments: ["style=5", "style=7", "style=99", "nothing"])
  func unknownKindOfMessageIsAnError(message: String) async throws {
    let person = ScriptedConversation()
    let module = try services.module("info=first", message, "send")
    #expect(try await outcome(module, person).unavailability?.contains("kind") == true)
    #expect(person.log == [])
  }

  @Test(arguments: [1, 2, 3, 4, 5, 9, 26, 28])
  func failureOfPAMIsUnavailable(code: Int) async throws {
    let outcome = try await outcome(services.module("return=\(code)"), ScriptedConversation())
    #expect(outcome.unavailability?.contains("(PAM code \(code))") == true, "\(outcome)")
  }

  @Test(arguments: [6, 7, 8, 10, 11, 12, 13, 16, 27])
  func refusalByPAMIsADenial(code: Int) async throws {
    let outcome = try await outcome(services.module("return=\(code)"), ScriptedConversation())
    #expect(outcome.denial != nil, "\(outcome)")
  }

  @Test(arguments: [(13, true), (12, true), (6, true), (9, false)])
  func accountIsCheckedAfterTheAnswers(code: Int, isDenied: Bool) async throws {
    let person = ScriptedConversation("right")
    let outcome = try await services.authenticator(
      "auth \(services.module("hidden=Password: ", "send", "expect=right"))",
      "account \(services.module("return=\(code)"))", with: person
    ).outcome()
    #expect((outcome.denial != nil) == isDenied && (outcome.unavailability == nil) == isDenied)
    #expect(person.log.last == "hidden: Password: ")
  }

  @Test func modulesGetTheFlagAgainstEmptyPasswords() async throws {
    let authenticator = try services.authenticator(
      "auth \(services.module("flags=1"))", "account \(services.module("flags=1"))",
      with: ScriptedConversation())
    #expect(await authenticator.outcome() == .success(.passcode))
  }

  @Test func messagesOfAFingerprintServiceAreShown() async throws {
    let person = ScriptedConversation()
    let module = try services.module(
      "info=Place your finger on the reader", "send", "error=Too short, try again", "send")
    #expect(
      try await outcome(module, person, hasFingerprintReader: true) == .success(.biometry))
    #expect(
      person.log == [
        "reason: Because", "information: Place your finger on the reader",
        "error: Too short, try again",
      ])
  }

  @Test func passwordInsteadOfAFingerIsAPasscode() async throws {
    let module = try services.module(
      "info=Place your finger on the reader", "send", "hidden=Password: ", "send", "expect=right")
    let typing = ScriptedConversation("right")
    #expect(try await outcome(module, typing, hasFingerprintReader: true) == .success(.passcode))
    let refused = ScriptedConversation("right")
    let outcome = try await outcome(
      module, refused, hasFingerprintReader: true, accepting: .biometry)
    #expect(outcome.denial?.contains("asked for a password") == true)
    #expect(!refused.log.contains { $0.hasPrefix("hidden") })
  }

  @Test func visibleAnswerIsNoBiometry() async throws {
    let module = try services.module("visible=Code: ", "send", "expect=1234")
    let outcome = try await outcome(
      module, ScriptedConversation("1234"), hasFingerprintReader: true, accepting: .biometry)
    #expect(outcome.denial?.contains("was proved") == true)
  }

  @Test func errorOfTheConversationIsKept() async throws {
    let go = services.directory("go")
    // The module blocks if it gets an answer.
    let module = try services.module("hidden=Password: ", "send", "wait=\(go)")
    #expect(
      try await outcome(module, ScriptedConversation(result: .failure(.cancelled)))
        == .failure(.cancelled))
    let broken = SecretStoreError.unavailable("no terminal")
    #expect(
      try await outcome(module, ScriptedConversation(result: .failure(broken))) == .failure(broken))
    try services.makeFile(go)
  }

  @Test func taskCancellationEndsTheQuestion() async throws {
    let person = ScriptedConversation()
    let authenticator = try services.authenticator(
      "auth \(services.module("hidden=Password: ", "send"))", Self.account, with: person)
    let task = Task { await authenticator.outcome() }
    try await suspend { person.log.count == 2 }
    task.cancel()
    #expect(await task.value == .failure(.cancelled))
  }

  @Test func moduleAsksNothingAfterCancellation() async throws {
    let person = ScriptedConversation("right")
    let (here, go, end) = (
      services.directory("here"), services.directory("go"), services.directory("end")
    )
    // The last module runs no matter what the conversation function returns.
    let slow = try services.module("mark=\(here)", "wait=\(go)", "hidden=Password: ", "send")
    let authenticator = try services.authenticator(
      "auth \(slow)", "auth \(services.module("mark=\(end)"))", Self.account, with: person)
    let task = Task { await authenticator.outcome() }
    try await suspend { FileManager.default.fileExists(atPath: here) }
    task.cancel()
    #expect(await task.value == .failure(.cancelled))
    try services.makeFile(go)
    try await suspend { FileManager.default.fileExists(atPath: end) }
    #expect(person.log == [])
  }
}
