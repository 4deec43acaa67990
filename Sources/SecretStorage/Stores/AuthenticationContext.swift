import StorageInternals
import Synchronization

/// How a person is asked to authorise accesses to items, and what they proved so far.
///
/// ```swift
/// let context = AuthenticationContext(reason: "Show the recovery key", reuse: .seconds(30))
/// let key = try await $recoveryKey.load(authorizedBy: context)
/// ```
///
/// Getting and setting a property never asks anybody: items that need a proof are reached with
/// ``PasswordItem/load(authorizedBy:)`` and its siblings, which take a context. What was proved counts
/// for every store that the context is used with.
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

  /// Why the person is asked, in the words of the app.
  public let reason: String
  private let authenticator: (any Authenticator)?
  private let applicationPassword: ApplicationPassword?
  private let newApplicationPassword: ApplicationPassword?
  private let applicationPasswordCost: ScryptCost
  private let reuse: Duration
  private let now: @Sendable () -> ContinuousClock.Instant
  /// A forked child proves anew what it needs, with a context of its own.
  private let state = Lock(State(), inForkedChild: { State(isCancelled: true) })
  private let turn = AskingTurn()
  private let end = ContextEnd()

  /// Makes a context; nobody is asked yet.
  ///
  /// - Parameters:
  ///   - reason: Why the person is asked, in the words of the app.
  ///   - authenticator: Who asks; nil means the store's own.
  ///   - applicationPassword: The password of items with ``AccessFlags/applicationPassword``. Its
  ///     bytes count, so give it in one Unicode normalisation form.
  ///   - newApplicationPassword: The password that such an item gets when its secret or its access
  ///     control is saved; nil means that it keeps the one it has.
  ///   - applicationPasswordCost: What each guess at the password of an item costs that is saved.
  ///   - reuse: How long a proof counts, in time that also passes while the machine sleeps. Zero means
  ///     that each access asks again.
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

  /// Ends the context: a question that is being asked is withdrawn, every access by it throws
  /// ``SecretStoreError/cancelled`` from now on, and what properties loaded with it is forgotten.
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

  /// Asks a person for what an item needs and they have not proved lately, and authorises accesses
  /// to it.
  ///
  /// ``PasswordItem`` does so by itself; this is for who calls a ``SecretStore``. The authorisation
  /// counts for as long as it is kept. Of several tasks, one asks at a time. Where the flags demand
  /// several proofs, the person is asked for one after the other.
  ///
  /// - Parameters:
  ///   - accessControl: What the item needs; without flags, nobody is asked.
  ///   - authenticator: Who asks, where the context names nobody: the store's
  ///     ``SecretStore/authenticator``.
  /// - Returns: What the store wants to know.
  /// - Throws: ``SecretStoreError/denied(_:)`` when it was not proved, ``SecretStoreError/cancelled``
  ///   when the person, the task or the context gave up, ``SecretStoreError/invalid(_:)`` for flags
  ///   without meaning, or what kept the authenticator from asking.
  public func authorize(
    _ accessControl: AccessControl, with authenticator: (any Authenticator)?
  ) async throws(SecretStoreError) -> Authorization {
    let constraints = try AccessConstraints(accessControl.flags)
    let known = try authorization(with: authenticator)
    if constraints.missing(from: known.proofs) == nil { return known }
    if let error = SecretStoreError.needsThreads("Asking for a proof") { throw error }
    try await turn.begin()
    defer { turn.end() }
    // Whoever had the turn before may have asked for the same.
    var authorization = try authorization(with: authenticator)
    while let missing = constraints.missing(from: authorization.proofs) {
      let proof = try await ask(for: missing, authorization.authenticator)
      authorization.proofs.formUnion(proof.proofs)
      if proof.proofs.contains(.biometry) { authorization.enrolledSet = proof.enrolledSet }
    }
    return authorization
  }

  /// What the context has for an access that asks nobody.
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
      // A fingerprint that was enrolled meanwhile may be somebody else's.
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
    // A task of its own, so that the context can cancel it whichever task asked.
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

/// Whether a context was ended; apart from it, so that what was loaded with it does not keep its
/// password in memory.
final class ContextEnd: Sendable {
  private let hasCome = Atomic(false)

  var isOver: Bool { hasCome.load(ordering: .acquiring) }

  fileprivate func come() {
    hasCome.store(true, ordering: .releasing)
  }
}

extension AuthenticationContext: CustomReflectable {
  /// A mirror without children: neither a password nor a proof is shown.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
