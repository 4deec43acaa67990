import StorageInternals

/// How a person is asked to authorise accesses to items, and what they proved so far.
///
/// ```swift
/// let context = AuthenticationContext(reason: "Show the recovery key", reuse: .seconds(30))
/// let key = try await $recoveryKey.load(authorizedBy: context)
/// ```
///
/// Getting and setting a property never asks anybody: items that need a proof are reached with
/// ``PasswordItem/load(authorizedBy:)`` and its siblings, which take a context.
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
  private let reuse: Duration
  private let now: @Sendable () -> ContinuousClock.Instant
  private let state = Lock(State())

  /// Makes a context; nobody is asked yet.
  ///
  /// - Parameters:
  ///   - reason: Why the person is asked, in the words of the app.
  ///   - authenticator: Who asks; nil means the store's own.
  ///   - applicationPassword: The password of items with ``AccessFlags/applicationPassword``. Its
  ///     bytes count, so give it in one Unicode normalisation form.
  ///   - newApplicationPassword: The password that such an item gets when it is saved; nil means that
  ///     it keeps the one it has.
  ///   - reuse: How long a proof counts, in time that also passes while the machine sleeps. Zero means
  ///     that each access asks again.
  public convenience init(
    reason: String, authenticator: (any Authenticator)? = nil, applicationPassword: Secret? = nil,
    newApplicationPassword: Secret? = nil, reuse: Duration = .zero
  ) {
    self.init(
      reason: reason, authenticator: authenticator, applicationPassword: applicationPassword,
      newApplicationPassword: newApplicationPassword, reuse: reuse
    ) { .now }
  }

  init(
    reason: String, authenticator: (any Authenticator)? = nil, applicationPassword: Secret? = nil,
    newApplicationPassword: Secret? = nil, reuse: Duration = .zero,
    now: @escaping @Sendable () -> ContinuousClock.Instant
  ) {
    self.reason = reason
    self.authenticator = authenticator
    self.applicationPassword = applicationPassword.map(ApplicationPassword.init)
    self.newApplicationPassword = newApplicationPassword.map(ApplicationPassword.init)
    self.reuse = reuse
    self.now = now
  }

  /// Ends the context: whoever is being asked is asked no more, and every access by it throws
  /// ``SecretStoreError/cancelled`` from now on.
  public func cancel() {
    let asking = state.withLock { state in
      state.isCancelled = true
      state.proofs = []
      return state.asking
    }
    asking?.cancel()
  }

  /// What the context has for an access that asks nobody.
  func authorization(
    with authenticator: (any Authenticator)?
  ) throws(SecretStoreError) -> Authorization {
    let authenticator = self.authenticator ?? authenticator
    let enrolledSet = authenticator?.enrolledSet
    let time = now()
    let proofs = try state.withLock { state throws(SecretStoreError) in
      if state.isCancelled { throw .cancelled }
      state.proofs.removeAll {
        $0.time.duration(to: time) >= reuse || $0.enrolledSet != enrolledSet
      }
      return state.proofs.reduce(into: AuthenticationProofs()) { $0.formUnion($1.proofs) }
    }
    return Authorization(
      proofs: proofs, capabilities: authenticator?.capabilities ?? [], enrolledSet: enrolledSet,
      applicationPassword: applicationPassword, newApplicationPassword: newApplicationPassword)
  }

  /// Asks a person for what an item needs and they have not proved lately.
  func authorize(
    _ accessControl: AccessControl, with authenticator: (any Authenticator)?
  ) async throws(SecretStoreError) -> Authorization {
    let constraints = try AccessConstraints(accessControl.flags)
    var authorization = try authorization(with: authenticator)
    while let missing = constraints.missing(from: authorization) {
      guard let authenticator = self.authenticator ?? authenticator else {
        throw .denied("nobody can ask for \(missing)")
      }
      let accepted = missing.intersection(authenticator.capabilities)
      if accepted.isEmpty { throw .denied("the authenticator cannot prove \(missing)") }
      let enrolledSet = authenticator.enrolledSet
      let request = AuthenticationRequest(reason: reason, accepting: accepted)
      let proofs = try await ask(authenticator, request)
      if proofs.isDisjoint(with: missing) { throw .denied("\(missing) was not proved") }
      let proof = Proof(proofs: proofs, enrolledSet: enrolledSet, time: now())
      state.withLock { state in
        if !state.isCancelled { state.proofs.append(proof) }
      }
      authorization.proofs.formUnion(proofs)
    }
    return authorization
  }

  private func ask(
    _ authenticator: any Authenticator, _ request: AuthenticationRequest
  ) async throws(SecretStoreError) -> AuthenticationProofs {
    let asking = Task { () -> Result<AuthenticationProofs, SecretStoreError> in
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
    if state.withLock({ $0.isCancelled }) || Task.isCancelled { throw .cancelled }
    return try result.get()
  }
}

extension AuthenticationContext: CustomReflectable {
  /// A mirror without children: neither a password nor a proof is shown.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
