import CLibrary
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
  private let person = ScriptedConversation()

  init() throws { services = try PAMDirectory() }

  /// The outcome of a service whose module processes the arguments.
  private func outcome(
    _ arguments: String..., by other: ScriptedConversation? = nil,
    hasFingerprintReader: Bool = false, accepting accepted: AuthenticationProofs = .any
  ) async throws -> Result<AuthenticationProofs, SecretStoreError> {
    try await services.authenticator(
      "auth \(services.module(arguments))", Self.account,
      hasFingerprintReader: hasFingerprintReader, with: other ?? person
    ).outcome(accepting: accepted)
  }

  @Test func questionsOfTwoCallsAreAskedInTheirOrder() async throws {
    let person = ScriptedConversation("one", "two")
    let outcome = try await outcome(
      "visible=First: ", "send", "expect=one", "hidden=Second: ", "send", "expect=two", by: person)
    #expect(outcome == .success(.passcode))
    #expect(person.log == ["reason: Because", "visible: First: ", "hidden: Second: "])
  }

  @Test func messagesAndQuestionsOfOneCallGetAnswers() async throws {
    let person = ScriptedConversation("Kiki", "13")
    let outcome = try await outcome(
      "info=Welcome", "visible=Name: ", "error=Too young", "hidden=Age: ", "null", "send",
      "silent", "expect=Kiki", "silent", "expect=13", "silent", by: person)
    #expect(outcome == .success(.passcode))
    #expect(
      person.log == [
        "reason: Because", "information: Welcome", "visible: Name: ", "error: Too young",
        "hidden: Age: ", "information: ",
      ])
  }

  @Test func wrongAnswerIsADenialWithoutTheAnswer() async throws {
    let outcome = try await outcome(
      "hidden=Password: ", "send", "expect=right", by: ScriptedConversation("hush"))
    #expect(outcome.denial?.contains("Authentication failure") == true)
    #expect(!"\(outcome)".contains("hush"))
  }

  @Test func answerIsPassedByteForByte() async throws {
    for (bytes, check) in [
      ([], "length=0"), ([0x78], "length=1"),
      (Array(repeating: 0x78, count: 64 * 1024), "length=\(64 * 1024)"),
      ([0xFF, 0xFE, 0x80, 0x0A, 0x20], "bytes=fffe800a20"),
    ] as [([UInt8], String)] {
      let person = ScriptedConversation(result: .success(Secret(bytes)))
      let outcome = try await outcome("hidden=Password: ", "send", check, by: person)
      #expect(outcome == .success(.passcode))
    }
  }

  @Test func answerWithAZeroByteIsAnError() async throws {
    let outcome = try await outcome(
      "hidden=Password: ", "send", by: ScriptedConversation("right\0x"))
    #expect(outcome.error?.invalid?.contains("zero byte") == true)
  }

  @Test func invalidUTF8OfAMessageIsReplaced() async throws {
    let person = ScriptedConversation("")
    let authenticator = try services.authenticator(
      "auth \(services.module(["info=caf\u{E9}", "send", "silent"]))", Self.account, with: person)
    let path = services.directory("test")
    // ISO 8859-1, which some old translations use.
    let bytes = try content(of: path).filter { $0 != 0xC3 }.map { $0 == 0xA9 ? 0xE9 : $0 }
    try Data(bytes).write(to: URL(filePath: path))
    #expect(await authenticator.outcome() == .success(.passcode))
    #expect(person.log == ["reason: Because", "information: caf\u{FFFD}"])
  }

  @Test func maximumOfMessagesIsShown() async throws {
    #expect(try await outcome("count=32", "send") == .success(.passcode))
    #expect(person.log.count == 33)
  }

  @Test(arguments: [33, 1000, -1]) func invalidNumberOfMessagesIsAnError(count: Int) async throws {
    let text = try await outcome("count=\(count)", "send").unavailability
    #expect(text?.contains("sent \(count) messages in one call") == true)
    #expect(person.log == [])
  }

  @Test(arguments: ["style=5", "style=7", "style=99", "nothing"])
  func unknownKindOfMessageIsAnError(message: String) async throws {
    let outcome = try await outcome("info=first", message, "send")
    #expect(outcome.unavailability?.contains("kind") == true)
    #expect(person.log == [])
  }

  @Test(arguments: [1, 2, 3, 4, 5, 9, 26, 28])
  func failureOfPAMIsUnavailable(code: Int) async throws {
    let outcome = try await outcome("return=\(code)")
    #expect(outcome.unavailability?.contains("(PAM code \(code))") == true, "\(outcome)")
  }

  @Test(arguments: [6, 7, 8, 10, 11, 12, 13, 16, 27])
  func refusalByPAMIsADenial(code: Int) async throws {
    let outcome = try await outcome("return=\(code)")
    #expect(outcome.denial != nil, "\(outcome)")
  }

  @Test(arguments: [(13, true), (12, true), (6, true), (9, false)])
  func accountIsCheckedAfterTheAnswers(code: Int, isDenied: Bool) async throws {
    let person = ScriptedConversation("right")
    let outcome = try await services.authenticator(
      "auth \(services.module(["hidden=Password: ", "send", "expect=right"]))",
      "account \(services.module(["return=\(code)"]))", with: person
    ).outcome()
    #expect((outcome.denial != nil) == isDenied && (outcome.unavailability == nil) == isDenied)
    #expect(person.log.last == "hidden: Password: ")
  }

  @Test func modulesGetTheFlagAgainstEmptyPasswords() async throws {
    let authenticator = try services.authenticator(
      "auth \(services.module(["flags=1"]))", "account \(services.module(["flags=1"]))",
      with: person)
    #expect(await authenticator.outcome() == .success(.passcode))
  }

  @Test func messagesOfAFingerprintServiceAreShown() async throws {
    let outcome = try await outcome(
      "info=Place your finger on the reader", "send", "error=Too short, try again", "send",
      hasFingerprintReader: true)
    #expect(outcome == .success(.biometry))
    #expect(
      person.log == [
        "reason: Because", "information: Place your finger on the reader",
        "error: Too short, try again",
      ])
  }

  @Test func passwordInsteadOfAFingerIsAPasscode() async throws {
    func outcome(
      _ person: ScriptedConversation, _ accepted: AuthenticationProofs
    ) async throws -> Result<AuthenticationProofs, SecretStoreError> {
      try await self.outcome(
        "info=Place your finger on the reader", "send", "hidden=Password: ", "send",
        "expect=right", by: person, hasFingerprintReader: true, accepting: accepted)
    }
    #expect(try await outcome(ScriptedConversation("right"), .any) == .success(.passcode))
    let refused = ScriptedConversation("right")
    #expect(try await outcome(refused, .biometry).denial?.contains("asked for a password") == true)
    #expect(!refused.log.contains { $0.hasPrefix("hidden") })
  }

  @Test func visibleAnswerIsNoBiometry() async throws {
    let outcome = try await outcome(
      "visible=Code: ", "send", "expect=1234", by: ScriptedConversation("1234"),
      hasFingerprintReader: true, accepting: .biometry)
    #expect(outcome.denial?.contains("was proved") == true)
  }

  @Test func errorOfTheConversationIsKept() async throws {
    let go = services.directory("go")
    for error in [SecretStoreError.cancelled, .unavailable("no terminal")] {
      // The module blocks if it gets an answer.
      let outcome = try await outcome(
        "hidden=Password: ", "send", "wait=\(go)",
        by: ScriptedConversation(result: .failure(error)))
      #expect(outcome == .failure(error))
    }
    try services.makeFile(go)
  }

  @Test func taskCancellationEndsTheQuestion() async throws {
    let authenticator = try services.authenticator(
      "auth \(services.module(["hidden=Password: ", "send"]))", Self.account, with: person)
    let task = Task { await authenticator.outcome() }
    try await suspend { person.log.count == 2 }
    task.cancel()
    #expect(await task.value == .failure(.cancelled))
  }

  @Test func moduleAsksNothingAfterCancellation() async throws {
    let person = ScriptedConversation("right")
    let directory = services.directory
    let (here, go, end) = (directory("here"), directory("go"), directory("end"))
    // The last module runs no matter what the conversation function returns.
    let slow = try services.module(["mark=\(here)", "wait=\(go)", "hidden=Password: ", "send"])
    let authenticator = try services.authenticator(
      "auth \(slow)", "auth \(services.module(["mark=\(end)"]))", Self.account, with: person)
    let task = Task { await authenticator.outcome() }
    try await suspend { FileManager.default.fileExists(atPath: here) }
    task.cancel()
    #expect(await task.value == .failure(.cancelled))
    try services.makeFile(go)
    try await suspend { FileManager.default.fileExists(atPath: end) }
    #expect(person.log == [])
  }

  /// In separate processes, because a process has one controlling terminal.
  @Test(arguments: [STDIN_FILENO, STDERR_FILENO])
  func modulesGetThePathOfTheTerminal(descriptor: Int32) async {
    await #expect(processExitsWith: .success) { [descriptor] in
      let path = try takeTerminal(as: descriptor)
      #expect(Terminal.path == path)
      let services = try PAMDirectory()
      let person = ScriptedConversation("tajny")
      let authenticator = try services.authenticator(
        "auth \(services.module(["tty=\(path)", "hidden=Password:", "send", "expect=tajny"]))",
        "account required pam_permit.so", with: person)
      #expect(await authenticator.outcome() == .success(.passcode))
    }
  }

  @Test func pathIsNilWithoutATerminal() async {
    await #expect(processExitsWith: .success) {
      setsid()
      #expect(Terminal.path == nil)
    }
  }
}

/// Makes a new terminal the controlling one of this process, on one descriptor only.
private func takeTerminal(as descriptor: Int32) throws -> String {
  let null = unsafe open("/dev/null", O_RDWR)
  for number in [STDIN_FILENO, STDOUT_FILENO] { dup2(null, number) }
  close(null)
  var ends: (master: Int32, slave: Int32) = (-1, -1)
  var name = [CChar](repeating: 0, count: 64)
  // The name is short: "/dev/pts/" and a number.
  guard unsafe openpty(&ends.master, &ends.slave, &name, nil, nil) == 0 else { throw NoTerminal() }
  setsid()
  // The first terminal that a session leader opens becomes its controlling one.
  let own = unsafe open(name, O_RDWR)
  dup2(own, descriptor)
  close(own)
  return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}

private struct NoTerminal: Error {}
