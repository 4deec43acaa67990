import CLibrary
import Concurrency

/// A context in which the user authorizes access to items.
///
/// ```swift
/// let context = AuthenticationContext(reason: "Show the recovery key", reuse: .seconds(30))
/// let key = try await $recoveryKey.load(authorizedBy: context)
/// ```
///
/// Properties never prompt the user: to read an item that needs a proof, pass a context to
/// ``PasswordItem/load(authorizedBy:)`` or a similar method. A proof is valid in every store.
public final class AuthenticationContext: Sendable {
  private struct Proof {
    let proofs: AuthenticationProofs
    let enrolledSet: [UInt8]?
    let time: ContinuousClock.Instant
  }

  private struct State {
    var proofs: [Proof] = []
    var authentication: Task<Result<AuthenticationProofs, SecretStoreError>, Never>?
  }

  /// The reason that prompts show.
  public let reason: String
  private let authenticator: (any Authenticator)?
  let applicationPassword: ApplicationPassword?
  /// The application password that a save gives its item; nil to keep the current one.
  let newApplicationPassword: ApplicationPassword?
  let applicationPasswordCost: ScryptCost
  private let reuse: Duration
  private let state = Lock(State())
  private let semaphore = AsyncSemaphore()
  /// Requested before `cancel()` resets the state, so that nothing is added afterwards.
  let cancellation = Cancellation()

  /// Creates a context without prompting the user.
  ///
  /// - Parameters:
  ///   - reason: The reason to show to the user.
  ///   - authenticator: The authenticator that prompts the user; nil for the store's.
  ///   - applicationPassword: The password for items with ``AccessFlags/applicationPassword``. Its
  ///     bytes are used unchanged, so always pass it in the same Unicode normalization form.
  ///   - newApplicationPassword: The password that replaces it when the secret or the access
  ///     control is saved; nil keeps the current one.
  ///   - applicationPasswordCost: The key derivation cost for items that are saved.
  ///   - reuse: The time for which a proof remains valid, including suspensions of the machine. If
  ///     it is zero, each access prompts the user.
  public init(
    reason: String, authenticator: (any Authenticator)? = nil, applicationPassword: Secret? = nil,
    newApplicationPassword: Secret? = nil, applicationPasswordCost: ScryptCost = .standard,
    reuse: Duration = .zero
  ) {
    self.reason = reason
    self.authenticator = authenticator
    self.applicationPassword = applicationPassword.map(ApplicationPassword.init)
    self.newApplicationPassword = newApplicationPassword.map(ApplicationPassword.init)
    self.applicationPasswordCost = applicationPasswordCost
    self.reuse = reuse
  }

  /// Dismisses a pending prompt and ends the context: later accesses throw
  /// ``SecretStoreError/cancelled``, and properties discard the values that they loaded with it.
  public func cancel() {
    cancellation.request()
    // The prompt belongs to the parent process.
    if Fork.isChild { return }
    let authentication = state.withLock { state in
      state.proofs = []
      return state.authentication
    }
    semaphore.close()
    authentication?.cancel()
  }

  /// Authorizes access to an item, prompting the user for missing proofs.
  ///
  /// ``PasswordItem`` calls this method; call it only to use a ``SecretStore`` directly. An
  /// authorization does not expire until the context is cancelled. Only one task at a time prompts
  /// the user, for one missing proof at a time.
  ///
  /// - Parameters:
  ///   - accessControl: The access control of the item.
  ///   - authenticator: The ``SecretStore/authenticator`` of the store, if the context has none.
  /// - Returns: The authorization to pass to the store.
  /// - Throws: ``SecretStoreError/denied(_:)`` if a proof was not given;
  ///   ``SecretStoreError/cancelled`` if the user, the task or the context cancelled;
  ///   ``SecretStoreError/invalid(_:)`` for an invalid combination of flags; or the error that
  ///   prevented the prompt.
  public func authorize(
    _ accessControl: AccessControl, with authenticator: (any Authenticator)?
  ) async throws -> Authorization {
    try await authorization(for: accessControl, with: authenticator)
  }

  package func authorization(
    for accessControl: AccessControl, with authenticator: (any Authenticator)?,
    at now: @Sendable () -> ContinuousClock.Instant = { .now }
  ) async throws(SecretStoreError) -> Authorization {
    let constraints = try AccessConstraints(accessControl.flags)
    let current = try authorization(with: authenticator, at: now())
    if constraints.missing(from: current.proofs) == nil { return current }
    try await semaphore.wait()
    defer { semaphore.signal() }
    // Another task may have obtained the proof in the meantime.
    var authorization = try authorization(with: authenticator, at: now())
    while let missing = constraints.missing(from: authorization.proofs) {
      let proof = try await ask(for: missing, authorization.authenticator, at: now)
      authorization.proofs.formUnion(proof.proofs)
      if proof.proofs.contains(.biometry) { authorization.enrolledSet = proof.enrolledSet }
    }
    return authorization
  }

  /// Returns an authorization with the proofs that are still valid, without prompting the user.
  func authorization(
    with authenticator: (any Authenticator)?, at time: ContinuousClock.Instant = .now
  ) throws(SecretStoreError) -> Authorization {
    try SecretStoreError.checkProcess()
    if cancellation.isRequested { throw .cancelled }
    let proofs = state.withLock { state in
      state.proofs.removeAll {
        locketBreak(22)
          ? $0.time.duration(to: time) > reuse : $0.time.duration(to: time) >= reuse
      }
      return state.proofs
    }
    var authorization = Authorization(
      context: self, authenticator: self.authenticator ?? authenticator)
    for proof in proofs { authorization.proofs.formUnion(proof.proofs) }
    if authorization.proofs.contains(.biometry) {
      // A fingerprint or face that was enrolled since the proof may be another person's.
      authorization.enrolledSet = authorization.authenticator?.enrolledSet
      let isCurrent = proofs.contains {
        $0.proofs.contains(.biometry) && $0.enrolledSet == authorization.enrolledSet
      }
      if !isCurrent { authorization.proofs.remove(.biometry) }
    }
    return authorization
  }

  /// Prompts the user for one of the missing proofs, and keeps the result for reuse.
  private func ask(
    for missing: AuthenticationProofs, _ authenticator: (any Authenticator)?,
    at now: @Sendable () -> ContinuousClock.Instant
  ) async throws(SecretStoreError) -> Proof {
    guard let authenticator else {
      throw .denied("it requires \(missing), and there is no authenticator")
    }
    let accepted = missing.intersection(authenticator.capabilities)
    if accepted.isEmpty {
      throw .denied("it requires \(missing), which the authenticator cannot prove")
    }
    let enrolledSet = authenticator.enrolledSet
    let proofs = try await run(
      authenticator, AuthenticationRequest(reason: reason, accepting: accepted))
    if proofs.isDisjoint(with: accepted) { throw .denied("\(accepted) was not proved") }
    if authenticator.enrolledSet != enrolledSet {
      throw .denied("fingerprints or faces were enrolled or removed during the authentication")
    }
    let proof = Proof(proofs: proofs, enrolledSet: enrolledSet, time: now())
    state.withLock { if !cancellation.isRequested, reuse > .zero { $0.proofs.append(proof) } }
    return proof
  }

  private func run(
    _ authenticator: any Authenticator, _ request: AuthenticationRequest
  ) async throws(SecretStoreError) -> AuthenticationProofs {
    // The authentication is a separate task, so that the context can cancel it.
    let authentication = Task { @concurrent () -> Result<AuthenticationProofs, SecretStoreError> in
      do throws(SecretStoreError) {
        return .success(try await authenticator.authenticate(request))
      } catch {
        return .failure(error)
      }
    }
    state.withLock { $0.authentication = authentication }
    if cancellation.isRequested { authentication.cancel() }
    let result = await withTaskCancellationHandler {
      await authentication.value
    } onCancel: {
      authentication.cancel()
    }
    state.withLock { $0.authentication = nil }
    if cancellation.isRequested || Task.isCancelled { throw .cancelled }
    return try result.get()
  }
}

extension AuthenticationContext: CustomReflectable {
  /// A mirror without children, so that neither passwords nor proofs are shown.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
