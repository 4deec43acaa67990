import Concurrency

/// The proofs and the application password that authorise access to an item.
///
/// Stores can rely on an authorisation, because only an ``AuthenticationContext`` creates one.
public struct Authorization: Sendable {
  /// The authorisation of an access that does not prompt the user, such as reading a property.
  public static let none = Authorization()

  /// The proofs that the user has given.
  var proofs: AuthenticationProofs = []
  /// The identifier of the fingerprints or faces enrolled at the time of the proof, if known.
  var enrolledSet: [UInt8]?
  /// The end of the context that created the authorisation; nil without a context.
  var end: ContextEnd?
  /// The authenticator of the context or the store, even if it was not used.
  var authenticator: (any Authenticator)?
  /// The password for items with ``AccessFlags/applicationPassword``.
  var applicationPassword: ApplicationPassword?
  /// The new password for such items; nil keeps the current one.
  var newApplicationPassword: ApplicationPassword?
  /// The key derivation cost for items that are saved.
  var applicationPasswordCost = ScryptCost.standard

  /// - Throws: ``SecretStoreError/cancelled`` if the context has ended.
  func checkContext() throws(SecretStoreError) {
    if end?.isOver == true { throw .cancelled }
  }

  /// Returns the proofs of which one is still needed to read an item with the given flags; nil if
  /// no proof is missing.
  ///
  /// This checks neither the application password, which only decrypting the item can check, nor
  /// whether the enrolled fingerprints and faces satisfy ``AccessFlags/biometryCurrentSet``.
  ///
  /// - Throws: ``SecretStoreError/invalid(_:)`` for an invalid combination of flags, or
  ///   ``SecretStoreError/unsupported(_:)`` for unknown flags.
  public func missingProof(
    for flags: AccessFlags
  ) throws(SecretStoreError) -> AuthenticationProofs? {
    try AccessConstraints(flags).missing(from: proofs)
  }
}

extension Authorization: CustomReflectable {
  /// A mirror without children, so that neither passwords nor proofs are shown.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

/// A semaphore for tasks, which wait in FIFO order without blocking a thread.
final class AsyncSemaphore: Sendable {
  private struct State {
    var isTaken = false
    var isClosed = false
    var waiting: [(ticket: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    var tickets = 0
  }

  private let state = Lock(State(), inForkedChild: { State(isClosed: true) })

  /// Acquires the semaphore; throws if the task is cancelled or the semaphore is closed.
  func begin() async throws(SecretStoreError) {
    let ticket = state.withLock { state in
      state.tickets += 1
      return state.tickets
    }
    let isAcquired = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = state.withLock { state -> Bool? in
          // If the task is cancelled from here on, `leave(_:)` finds it in `waiting`.
          if state.isClosed || Task.isCancelled { return false }
          if state.isTaken {
            state.waiting.append((ticket, continuation))
            return nil
          }
          state.isTaken = true
          return true
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      leave(ticket)
    }
    if !isAcquired { throw .cancelled }
  }

  /// Releases the semaphore to the task that has waited longest.
  func end() {
    let next = state.withLock { state in
      state.isTaken = !state.waiting.isEmpty
      return state.isTaken ? state.waiting.removeFirst().continuation : nil
    }
    next?.resume(returning: true)
  }

  /// Makes all waiting and future acquisitions throw.
  func close() {
    let waiting = state.withLock { state in
      state.isClosed = true
      defer { state.waiting = [] }
      return state.waiting.map(\.continuation)
    }
    for continuation in waiting { continuation.resume(returning: false) }
  }

  private func leave(_ ticket: Int) {
    let continuation = state.withLock { state in
      let index = state.waiting.firstIndex { $0.ticket == ticket }
      return index.map { state.waiting.remove(at: $0).continuation }
    }
    continuation?.resume(returning: false)
  }
}
