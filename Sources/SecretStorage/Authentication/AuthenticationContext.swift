import Concurrency
import Synchronization

/// The way a person authorises accesses to items, and the proofs given so far.
///
/// ```swift
/// let context = AuthenticationContext(reason: "Show the recovery key", reuse: .seconds(30))
/// let key = try await $recoveryKey.load(authorizedBy: context)
/// ```
///
/// Getting or setting a property never asks the user. To read items that need a proof, pass a
/// context to ``PasswordItem/load(authorizedBy:)`` or a similar method. A proof counts for every
/// store that the context is used with.
public final class AuthenticationContext: Sendable {
  private struct Proof {
    let proofs: AuthenticationProofs
    let enrolledSet: [UInt8]?
    let time: ContinuousClock.Instant
  }

  private struct State {
    var proofs: [Proof] = []
    var asking: Task<Result<AuthenticationProofs, SecretStoreError>, Never>?
    var isCancelled = false
  }

  /// The reason shown to the person, in the words of the app.
  public let reason: String
  private let authenticator: (any Authenticator)?
  private let applicationPassword: ApplicationPassword?
  private let newApplicationPassword: ApplicationPassword?
  private let applicationPasswordCost: ScryptCost
  private let reuse: Duration
  private let now: @Sendable () -> ContinuousClock.Instant
  /// A forked child must prove again, with a context of its own.
  private let state = Lock(State(), inForkedChild: { State(isCancelled: true) })
  private let turn = AsyncSemaphore()
  private let end = ContextEnd()

  /// Makes a context without asking the person yet.
  ///
  /// - Parameters:
  ///   - reason: The reason shown to the person, in the words of the app.
  ///   - authenticator: The authenticator that asks; nil means the store's own.
  ///   - applicationPassword: The password of items with ``AccessFlags/applicationPassword``. Its
  ///     bytes are used unchanged, so pass it in one Unicode normalisation form.
  ///   - newApplicationPassword: The new password of such an item, set when its secret or its
  ///     access control is saved; nil keeps the present one.
  ///   - applicationPasswordCost: The cost of each guess at the password of a saved item.
  ///   - reuse: The time for which a proof counts, including time that the machine is suspended.
  ///     With zero, each access asks again.
  public convenience init(
    reason: String, authenticator: (any Authenticator)? = nil, applicationPassword: Secret? = nil,
    newApplicationPassword: Secret? = nil, applicationPasswordCost: ScryptCost = .standard,
    reuse: Duration = .zero
  ) {
    self.init(
      reason: reason, authenticator: authenticator, applicationPassword: applicationPassword,
      newApplicationPassword: newApplicationPassword,
      applicationPasswordCost: applicationPasswordCost, reuse: reuse
    ) { .now }
  }

  init(
    reason: String, authenticator: (any Authenticator)? = nil, applicationPassword: Secret? = nil,
    newApplicationPassword: Secret? = nil, applicationPasswordCost: ScryptCost = .standard,
    reuse: Duration = .zero, now: @escaping @Sendable () -> ContinuousClock.Instant
  ) {
    self.reason = reason
    self.authenticator = authenticator
    self.applicationPassword = applicationPassword.map(ApplicationPassword.init)
    self.newApplicationPassword = newApplicationPassword.map(ApplicationPassword.init)
    self.applicationPasswordCost = applicationPasswordCost
    self.reuse = reuse
    self.now = now
  }

  /// Ends the context: withdraws a pending question, makes every later access throw
  /// ``SecretStoreError/cancelled``, and drops the values that properties loaded with it.
  public func cancel() {
    end.come()
    let asking = state.withLock { state in
      state.isCancelled = true
      state.proofs = []
      return state.asking
    }
    turn.close()
    asking?.cancel()
  }

  /// Asks the person for the proofs that an item needs and the context does not have, and
  /// authorises accesses to it.
  ///
  /// ``PasswordItem`` calls this itself; call it when you use a ``SecretStore`` directly. The
  /// authorisation is valid for as long as it is kept. One task asks at a time. If the flags need
  /// several proofs, the person is asked for one after the other.
  ///
  /// - Parameters:
  ///   - accessControl: The access control of the item; without flags, no question is asked.
  ///   - authenticator: The authenticator to use if the context has none: the store's
  ///     ``SecretStore/authenticator``.
  /// - Returns: The authorisation to pass to the store.
  /// - Throws: ``SecretStoreError/denied(_:)`` without a proof, ``SecretStoreError/cancelled`` when
  ///   the person, the task or the context gave up, ``SecretStoreError/invalid(_:)`` for an invalid
  ///   mix of flags, or the error that kept the authenticator from asking.
  public func authorize(
    _ accessControl: AccessControl, with authenticator: (any Authenticator)?
  ) async throws -> Authorization {
    try await authorization(for: accessControl, with: authenticator)
  }

  package func authorization(
    for accessControl: AccessControl, with authenticator: (any Authenticator)?
  ) async throws(SecretStoreError) -> Authorization {
    let constraints = try AccessConstraints(accessControl.flags)
    let known = try authorization(with: authenticator)
    if constraints.missing(from: known.proofs) == nil { return known }
    if let error = SecretStoreError.needsThreads("Asking for a proof") { throw error }
    try await turn.begin()
    defer { turn.end() }
    // The previous task may have asked for the same proof.
    var authorization = try authorization(with: authenticator)
    while let missing = constraints.missing(from: authorization.proofs) {
      let proof = try await ask(for: missing, authorization.authenticator)
      authorization.proofs.formUnion(proof.proofs)
      if proof.proofs.contains(.biometry) { authorization.enrolledSet = proof.enrolledSet }
    }
    return authorization
  }

  /// Returns the authorisation that the context has now, without asking the person.
  func authorization(
    with authenticator: (any Authenticator)?
  ) throws(SecretStoreError) -> Authorization {
    let time = now()
    let proofs = try state.withLock { state throws(SecretStoreError) in
      if state.isCancelled { throw .cancelled }
      state.proofs.removeAll { $0.time.duration(to: time) >= reuse }
      return state.proofs
    }
    var authorization = Authorization(
      end: end, authenticator: self.authenticator ?? authenticator,
      applicationPassword: applicationPassword,
      newApplicationPassword: newApplicationPassword,
      applicationPasswordCost: applicationPasswordCost)
    for proof in proofs { authorization.proofs.formUnion(proof.proofs) }
    if authorization.proofs.contains(.biometry) {
      // A fingerprint enrolled in the meantime may belong to another person.
      authorization.enrolledSet = authorization.authenticator?.enrolledSet
      let isCurrent = proofs.contains {
        $0.proofs.contains(.biometry) && $0.enrolledSet == authorization.enrolledSet
      }
      if !isCurrent { authorization.proofs.remove(.biometry) }
    }
    return authorization
  }

  private func ask(
    for missing: AuthenticationProofs, _ authenticator: (any Authenticator)?
  ) async throws(SecretStoreError) -> Proof {
    guard let authenticator else {
      throw .denied("it needs \(missing), and there is no authenticator to ask for it")
    }
    let accepted = missing.intersection(authenticator.capabilities)
    if accepted.isEmpty {
      throw .denied("it needs \(missing), which the authenticator cannot prove")
    }
    let enrolledSet = authenticator.enrolledSet
    let proofs = try await run(
      authenticator, AuthenticationRequest(reason: reason, accepting: accepted))
    if proofs.isDisjoint(with: accepted) { throw .denied("\(accepted) was not proved") }
    if authenticator.enrolledSet != enrolledSet {
      throw .denied("fingerprints or faces were enrolled or removed meanwhile")
    }
    let proof = Proof(proofs: proofs, enrolledSet: enrolledSet, time: now())
    state.withLock { state in
      if !state.isCancelled, reuse > .zero { state.proofs.append(proof) }
    }
    return proof
  }

  private func run(
    _ authenticator: any Authenticator, _ request: AuthenticationRequest
  ) async throws(SecretStoreError) -> AuthenticationProofs {
    // A separate task, so that the context can cancel it regardless of the task that asked.
    let asking = Task { @concurrent () -> Result<AuthenticationProofs, SecretStoreError> in
      do throws(SecretStoreError) {
        return .success(try await authenticator.authenticate(request))
      } catch {
        return .failure(error)
      }
    }
    let isCancelled = state.withLock { state in
      state.asking = asking
      return state.isCancelled
    }
    if isCancelled { asking.cancel() }
    let result = await withTaskCancellationHandler {
      await asking.value
    } onCancel: {
      asking.cancel()
    }
    let wasCancelled = state.withLock { state in
      state.asking = nil
      return state.isCancelled
    }
    if wasCancelled || Task.isCancelled { throw .cancelled }
    return try result.get()
  }
}

/// A flag that says whether a context has ended; a separate object, so that loaded values do not
/// keep the context's password in memory.
final class ContextEnd: Sendable {
  private let hasCome = Atomic(false)

  var isOver: Bool { hasCome.load(ordering: .acquiring) }

  fileprivate func come() {
    hasCome.store(true, ordering: .releasing)
  }
}

extension AuthenticationContext: CustomReflectable {
  /// A mirror without children, so that neither passwords nor proofs are shown.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
