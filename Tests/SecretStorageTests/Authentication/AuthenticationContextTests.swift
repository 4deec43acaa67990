import Concurrency
import TestSupport
import Testing

@testable import SecretStorage

/// The requests of a context to its authenticator, and the proofs that it remembers.
struct AuthenticationContextTests {
  private let passcode = AccessControl(flags: .devicePasscode)

  private final class Clock: Sendable {
    private let time = Lock(ContinuousClock.now)

    var now: ContinuousClock.Instant { time.withLock { $0 } }

    func advance(by duration: Duration) {
      time.withLock { $0 = $0.advanced(by: duration) }
    }
  }

  private func context(
    _ person: TestPerson, reuse: Duration, _ clock: Clock
  ) -> AuthenticationContext {
    AuthenticationContext(reason: "why", authenticator: person, reuse: reuse) { clock.now }
  }

  @Test func itemWithoutFlagsAsksNobody() async throws {
    let person = TestPerson()
    _ = try await AuthenticationContext(person).authorize(AccessControl(), with: nil)
    _ = try await AuthenticationContext(person, password: "right").authorize(
      AccessControl(flags: .applicationPassword), with: nil)
    #expect(person.questions.isEmpty)
  }

  @Test func personReadsWhyAndWhatWillDo() async throws {
    let person = TestPerson()
    let context = AuthenticationContext(reason: "why")
    #expect(context.reason == "why")
    _ = try await context.authorize(
      AccessControl(flags: [.biometryAny, .or, .devicePasscode]), with: person)
    #expect(
      person.questions
        == [AuthenticationRequest(reason: "why", accepting: [.biometry, .passcode])])
  }

  @Test func contextsAuthenticatorIsAskedInPlaceOfTheStores() async throws {
    let own = TestPerson()
    let stores = TestPerson()
    _ = try await AuthenticationContext(own).authorize(passcode, with: stores)
    #expect(own.questions.count == 1 && stores.questions.isEmpty)
  }

  @Test func proofCountsForAsLongAsItIsReused() async throws {
    let person = TestPerson()
    let clock = Clock()
    let context = context(person, reuse: .seconds(30), clock)
    for (step, questions) in [(0, 1), (29, 1), (1, 2), (29, 2), (29, 3)] {
      clock.advance(by: .seconds(step))
      _ = try await context.authorize(passcode, with: nil)
      #expect(person.questions.count == questions)
    }
    // A proof for one item is not enough for another.
    _ = try await context.authorize(AccessControl(flags: .biometryAny), with: nil)
    #expect(person.questions.count == 4)
    _ = try await context.authorize(AccessControl(flags: .userPresence), with: nil)
    #expect(person.questions.count == 4)
  }

  @Test func withoutReuseEachAccessAsks() async throws {
    let person = TestPerson()
    let context = context(person, reuse: .zero, Clock())
    for number in 1...3 {
      _ = try await context.authorize(passcode, with: nil)
      #expect(person.questions.count == number)
    }
    #expect(try context.authorization(with: nil).proofs == [])
  }

  @Test func biometryOfAnotherSetIsForgotten() async throws {
    let person = TestPerson(enrolledSet: [1])
    let context = context(person, reuse: .seconds(30), Clock())
    let biometry = AccessControl(flags: .biometryAny)
    _ = try await context.authorize(biometry, with: nil)
    _ = try await context.authorize(passcode, with: nil)
    person.enrolledSet = [1, 2]
    #expect(try context.authorization(with: nil).proofs == .passcode)
    _ = try await context.authorize(biometry, with: nil)
    #expect(person.questions.count == 3)
    #expect(try context.authorization(with: nil).enrolledSet == [1, 2])
  }

  @Test func setThatChangesWhileAskingIsNoProof() async {
    let holder = Lock<TestPerson?>(nil)
    let person = TestPerson(enrolledSet: [1]) { request in
      holder.withLock { $0?.enrolledSet = [1, 2] }
      return request.accepted
    }
    holder.withLock { $0 = person }
    await expectDenied(AuthenticationContext(person), AccessControl(flags: .biometryAny))
    holder.withLock { $0 = nil }
  }

  @Test func allOfSeveralProofsAreAskedForOneAfterTheOther() async throws {
    let both = AccessControl(flags: [.biometryAny, .and, .devicePasscode])
    let person = TestPerson()
    _ = try await AuthenticationContext(person).authorize(both, with: nil)
    #expect(person.questions.map(\.accepted) == [.biometry, .passcode])
    let half = TestPerson { request throws(SecretStoreError) in
      if request.accepted == .passcode { throw .denied("no") }
      return request.accepted
    }
    await expectDenied(AuthenticationContext(half), both)
    #expect(half.questions.count == 2)
    let unable = TestPerson(.biometry)
    await expectDenied(AuthenticationContext(unable), both)
  }

  @Test func whatWasNotAcceptedIsNoProof() async {
    for proofs in [AuthenticationProofs(), .presence, .biometry] {
      await expectDenied(AuthenticationContext(TestPerson { _ in proofs }), passcode)
    }
    await expectDenied(AuthenticationContext(TestPerson(.biometry)), passcode)
    await expectDenied(AuthenticationContext(), passcode)
  }

  @Test func refusalIsNotRemembered() async throws {
    let attempts = Lock(0)
    let person = TestPerson { request throws(SecretStoreError) in
      let attempt = attempts.withLock { count in
        count += 1
        return count
      }
      if attempt == 1 { throw .denied("mistyped") }
      return request.accepted
    }
    let context = AuthenticationContext(person, reuse: .seconds(30))
    await #expect(throws: SecretStoreError.denied("mistyped")) {
      try await context.authorize(passcode, with: nil)
    }
    _ = try await context.authorize(passcode, with: nil)
    #expect(person.questions.count == 2)
  }

  @Test(arguments: [Duration.zero, .seconds(3600)])
  func onePersonIsAskedOneQuestionAtATime(_ reuse: Duration) async throws {
    let isAnswering = Lock(false)
    let person = TestPerson { request in
      do {
        try await suspend { isAnswering.withLock { $0 } }
      } catch {
        Issue.record(error)
      }
      return request.accepted
    }
    let context = AuthenticationContext(person, reuse: reuse)
    // `TestPerson` throws if two requests overlap.
    let tasks = (0..<8).map { _ in
      Task { try await context.authorize(AccessControl(flags: .devicePasscode), with: nil) }
    }
    try await suspend { person.isBeingAsked }
    isAnswering.withLock { $0 = true }
    for task in tasks { #expect(try await task.value.proofs == .passcode) }
    #expect(person.questions.count == (reuse == .zero ? 8 : 1))
  }

  @Test func cancelledTaskWithdrawsTheQuestion() async throws {
    let person = TestPerson(answer: TestPerson.neverAnswers)
    let context = AuthenticationContext(person)
    func ask() -> Task<Authorization, any Error> {
      Task { try await context.authorize(AccessControl(flags: .devicePasscode), with: nil) }
    }
    let asking = ask()
    try await suspend { person.isBeingAsked }
    // Cancelling a queued request leaves the current one alone.
    let waiting = ask()
    waiting.cancel()
    await #expect(throws: SecretStoreError.cancelled) { try await waiting.value }
    #expect(person.isBeingAsked)
    asking.cancel()
    await #expect(throws: SecretStoreError.cancelled) { try await asking.value }
    #expect(!person.isBeingAsked)
    // The context still works.
    let again = ask()
    try await suspend { person.isBeingAsked }
    again.cancel()
    await #expect(throws: SecretStoreError.cancelled) { try await again.value }
  }

  @Test func cancelledContextAsksNoMore() async throws {
    let person = TestPerson(answer: TestPerson.neverAnswers)
    let context = AuthenticationContext(person, password: "right", reuse: .seconds(30))
    let tasks = (0..<3).map { _ in
      Task { try await context.authorize(AccessControl(flags: .devicePasscode), with: nil) }
    }
    try await suspend { person.isBeingAsked }
    context.cancel()
    for task in tasks {
      await #expect(throws: SecretStoreError.cancelled) { try await task.value }
    }
    #expect(person.questions.count == 1)
    await #expect(throws: SecretStoreError.cancelled) {
      try await context.authorize(AccessControl(), with: nil)
    }
  }

  @Test @MainActor func mainThreadAsksNobody() async throws {
    let main = ThreadIdentity.current
    let wasOnMain = Lock<Bool?>(nil)
    let person = TestPerson { request in
      wasOnMain.withLock { $0 = ThreadIdentity.current == main }
      return request.accepted
    }
    _ = try await AuthenticationContext(person).authorize(passcode, with: nil)
    #expect(wasOnMain.withLock { $0 } == false)
  }

  @Test func nothingIsShown() async throws {
    let context = AuthenticationContext(TestPerson(), password: "canary", new: "canary")
    let authorization = try await context.authorize(passcode, with: nil)
    for subject in [context, authorization] as [Any] {
      var dumped = ""
      dump(subject, to: &dumped)
      #expect(!dumped.contains("canary") && !dumped.contains("proofs"))
    }
  }

  private func expectDenied(
    _ context: AuthenticationContext, _ accessControl: AccessControl,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    do {
      _ = try await context.authorize(accessControl, with: nil)
      Issue.record("It was not denied.", sourceLocation: sourceLocation)
    } catch {
      guard case SecretStoreError.denied = error else {
        Issue.record(error, sourceLocation: sourceLocation)
        return
      }
    }
  }
}
