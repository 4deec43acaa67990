import Concurrency
import Dispatch
import TestSupport
import Testing

@testable import SecretStorage

/// The requests of a context to its authenticator, and the proofs that it remembers.
struct AuthenticationContextTests {
  private let passcode = AccessControl(flags: .devicePasscode)

  @Test func requestHasTheReasonAndTheProofs() async throws {
    let person = TestPerson()
    let context = AuthenticationContext(reason: "why")
    #expect(context.reason == "why")
    _ = try await context.authorize(
      AccessControl(flags: [.biometryAny, .or, .devicePasscode]), with: person)
    #expect(
      person.questions
        == [AuthenticationRequest(reason: "why", accepting: [.biometry, .passcode])])
  }

  @Test func contextAuthenticatorReplacesTheStores() async throws {
    let own = TestPerson()
    let stores = TestPerson()
    _ = try await AuthenticationContext(own).authorize(passcode, with: stores)
    #expect(own.questions.count == 1 && stores.questions.isEmpty)
  }

  @Test func proofIsValidForTheReuseDuration() async throws {
    let person = TestPerson()
    let time = Lock(ContinuousClock.now)
    let context = AuthenticationContext(
      reason: "why", authenticator: person, reuse: .seconds(30))
    func authorize(_ accessControl: AccessControl) async throws {
      _ = try await context.authorization(for: accessControl, with: nil) { time.withLock { $0 } }
    }
    for (step, questions) in [(0, 1), (29, 1), (1, 2), (29, 2), (29, 3)] {
      time.withLock { $0 += .seconds(step) }
      try await authorize(passcode)
      #expect(person.questions.count == questions)
    }
    // A proof for one item is not enough for another.
    try await authorize(AccessControl(flags: .biometryAny))
    #expect(person.questions.count == 4)
    try await authorize(AccessControl(flags: .userPresence))
    #expect(person.questions.count == 4)
  }

  @Test func biometryOfAnotherSetIsDiscarded() async throws {
    let person = TestPerson(enrolledSet: [1])
    let context = AuthenticationContext(person, reuse: .unlimited)
    let biometry = AccessControl(flags: .biometryAny)
    _ = try await context.authorize(biometry, with: nil)
    _ = try await context.authorize(passcode, with: nil)
    person.enrolledSet = [1, 2]
    #expect(try context.authorization(with: nil).proofs == .passcode)
    _ = try await context.authorize(biometry, with: nil)
    #expect(person.questions.count == 3)
    #expect(try context.authorization(with: nil).enrolledSet == [1, 2])
  }

  @Test func setChangedDuringAuthenticationIsDenied() async throws {
    let holder = Lock<TestPerson?>(nil)
    let person = TestPerson(enrolledSet: [1]) { request in
      holder.withLock { $0?.enrolledSet = [1, 2] }
      return request.accepted
    }
    holder.withLock { $0 = person }
    #expect(try await isDenied(AuthenticationContext(person), AccessControl(flags: .biometryAny)))
    holder.withLock { $0 = nil }
  }

  @Test func severalProofsAreRequestedInTurn() async throws {
    let both = AccessControl(flags: [.biometryAny, .and, .devicePasscode])
    let person = TestPerson()
    _ = try await AuthenticationContext(person).authorize(both, with: nil)
    #expect(person.questions.map(\.accepted) == [.biometry, .passcode])
    let half = TestPerson { request throws(SecretStoreError) in
      if request.accepted == .passcode { throw .denied("no") }
      return request.accepted
    }
    #expect(try await isDenied(AuthenticationContext(half), both))
    #expect(half.questions.count == 2)
    let unable = TestPerson(.biometry)
    #expect(try await isDenied(AuthenticationContext(unable), both))
  }

  @Test func unacceptedProofIsDenied() async throws {
    for proofs in [AuthenticationProofs(), .presence, .biometry] {
      #expect(try await isDenied(AuthenticationContext(TestPerson { _ in proofs }), passcode))
    }
    #expect(try await isDenied(AuthenticationContext(TestPerson(.biometry)), passcode))
    #expect(try await isDenied(AuthenticationContext(), passcode))
  }

  @Test func denialIsNotRemembered() async throws {
    let errors = Lock([SecretStoreError.denied("mistyped")])
    let person = TestPerson { request throws(SecretStoreError) in
      if let error = errors.withLock({ $0.popLast() }) { throw error }
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
  func requestsOfAContextDoNotOverlap(_ reuse: Duration) async throws {
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
    #expect(try context.authorization(with: nil).proofs == (reuse == .zero ? [] : .passcode))
  }

  @Test func taskCancellationEndsItsRequest() async throws {
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

  @Test func cancelledContextMakesNoRequest() async throws {
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

  /// The thread proves nothing: on Linux, any thread may serve the main queue, and then a task.
  @Test @MainActor func authenticatorDoesNotRunOnTheMainActor() async throws {
    let isMain = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: isMain, value: true)
    #expect(DispatchQueue.getSpecific(key: isMain) == true)
    let person = TestPerson { request in
      #expect(DispatchQueue.getSpecific(key: isMain) == nil)
      return request.accepted
    }
    _ = try await AuthenticationContext(person).authorize(passcode, with: nil)
    #expect(person.questions.count == 1)
  }

  @Test func descriptionsShowNoContent() async throws {
    let context = AuthenticationContext(TestPerson(), password: "canary", new: "canary")
    let authorization = try await context.authorize(passcode, with: nil)
    for subject in [context, authorization] as [Any] {
      var dumped = ""
      dump(subject, to: &dumped)
      #expect(!dumped.contains("canary") && !dumped.contains("proofs"))
    }
  }

  @Test func customAuthenticatorCallsItsClosures() async {
    let sets = Lock<[UInt8]?>([1])
    let requests = Lock<[AuthenticationRequest]>([])
    let authenticator = CustomAuthenticator(
      capabilities: [.biometry, .presence], enrolledSet: { sets.withLock { $0 } }
    ) { request throws(SecretStoreError) in
      requests.withLock { $0.append(request) }
      if request.accepted == .presence { throw .denied("nobody is there") }
      return .biometry
    }
    #expect(authenticator.capabilities == [.biometry, .presence])
    #expect(authenticator.enrolledSet == [1])
    sets.withLock { $0 = nil }
    #expect(authenticator.enrolledSet == nil)
    #expect(await authenticator.outcome() == .success(.biometry))
    #expect(
      await authenticator.outcome(accepting: .presence) == .failure(.denied("nobody is there")))
    #expect(
      requests.withLock { $0 } == [
        AuthenticationRequest(reason: "Because", accepting: .any),
        AuthenticationRequest(reason: "Because", accepting: .presence),
      ])
    let plain = CustomAuthenticator(capabilities: .presence) { _ in .presence }
    #expect(plain.enrolledSet == nil)
  }

  private func isDenied(
    _ context: AuthenticationContext, _ accessControl: AccessControl
  ) async throws -> Bool {
    do {
      _ = try await context.authorize(accessControl, with: nil)
      return false
    } catch SecretStoreError.denied {
      return true
    }
  }
}
