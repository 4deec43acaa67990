import Concurrency

/// The proofs and the application password that authorise an access to a store.
///
/// Only an ``AuthenticationContext`` makes one, so a store can rely on it.
public struct Authorization: Sendable {
  /// The authorisation of an access that asks no question, such as reading a property.
  public static let none = Authorization()

  /// The proofs that the person gave.
  var proofs: AuthenticationProofs = []
  /// The fingerprints or faces enrolled when biometry was proved, if the authenticator can tell.
  var enrolledSet: [UInt8]?
  /// The end of the context that made this; nil without a context.
  var end: ContextEnd?
  /// The authenticator of the context or the store, even if it was not asked.
  var authenticator: (any Authenticator)?
  /// The password under which items with ``AccessFlags/applicationPassword`` are sealed.
  var applicationPassword: ApplicationPassword?
  /// The new password of such an item; nil means that the password stays.
  var newApplicationPassword: ApplicationPassword?
  /// The cost of each guess at the password of an item that is saved.
  var applicationPasswordCost = ScryptCost.standard

  /// - Throws: ``SecretStoreError/cancelled`` when the context has ended.
  func checkContext() throws(SecretStoreError) {
    if end?.isOver == true { throw .cancelled }
  }

  /// Returns the proofs that are missing to read an item with these flags, any one of which helps;
  /// nil when none is missing.
  ///
  /// It does not check the application password, which only opening the item can, nor whether the
  /// enrolled fingerprints and faces are those of ``AccessFlags/biometryCurrentSet``.
  ///
  /// - Throws: ``SecretStoreError/invalid(_:)`` for an invalid mix of flags, or
  ///   ``SecretStoreError/unsupported(_:)`` for flags that this version does not know.
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

/// A semaphore that lets one task at a time ask a person; waiting tasks block no thread.
final class AsyncSemaphore: Sendable {
  private struct State {
    var isTaken = false
    var isClosed = false
    var waiting: [(ticket: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    var tickets = 0
  }

  private let state = Lock(State(), inForkedChild: { State(isClosed: true) })

  /// Waits until no other task asks, and takes the semaphore.
  ///
  /// - Throws: ``SecretStoreError/cancelled`` when the task is cancelled or this is closed.
  func begin() async throws(SecretStoreError) {
    let ticket = state.withLock { state in
      state.tickets += 1
      return state.tickets
    }
    let isMine = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = state.withLock { state -> Bool? in
          // A task that is cancelled from here on is in `waiting` when `leave(_:)` runs.
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
    if !isMine { throw .cancelled }
  }

  /// Hands the semaphore to the task that has waited longest.
  func end() {
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      if !state.waiting.isEmpty { return state.waiting.removeFirst().continuation }
      state.isTaken = false
      return nil
    }
    next?.resume(returning: true)
  }

  /// Refuses all waiting and future tasks.
  func close() {
    let waiting = state.withLock { state in
      state.isClosed = true
      defer { state.waiting = [] }
      return state.waiting.map(\.continuation)
    }
    for continuation in waiting { continuation.resume(returning: false) }
  }

  private func leave(_ ticket: Int) {
    let continuation = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      guard let place = state.waiting.firstIndex(where: { $0.ticket == ticket }) else { return nil }
      return state.waiting.remove(at: place).continuation
    }
    continuation?.resume(returning: false)
  }
}
