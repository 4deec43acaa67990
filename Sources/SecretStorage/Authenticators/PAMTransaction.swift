import Dispatch
import StorageInternals

/// One authentication by PAM: a thread that calls the library, which blocks, and a task that speaks
/// with the person meanwhile.
///
/// The library cannot be interrupted. When the task gives up, it abandons the transaction: the
/// thread ends whenever the modules let it, and what they still want to ask gets no answer.
final class PAMTransaction: Sendable {
  /// What the thread has for the task.
  enum Event: Sendable {
    /// A module has messages, and waits for as many answers.
    case messages([PAMMessage])
    /// The library has come to an end.
    case ended(Result<Void, SecretStoreError>)
  }

  private struct State {
    var event: Event?
    var waiter: CheckedContinuation<Event?, Never>?
    var answers: [Secret?] = []
    var isAbandoned = false
  }

  private let state = Lock(State(), inForkedChild: { State(isAbandoned: true) })
  private let answered = DispatchSemaphore(value: 0)

  /// Calls a closure on a thread of its own; what it returns or throws is the end.
  func begin(
    _ body: @escaping @Sendable (PAMTransaction) throws(SecretStoreError) -> Void
  ) {
    // A queue of its own, because a module may sleep for as long as it likes.
    DispatchQueue(label: "locket.pam").async {
      self.publish(
        .ended(Result { () throws(SecretStoreError) in try body(self) }))
    }
  }

  /// Waits for what the thread has next.
  ///
  /// - Throws: ``SecretStoreError/cancelled`` at once when the task is cancelled.
  func next() async throws(SecretStoreError) -> Event {
    let event = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let event: Event?? = state.withLock { state in
          if state.isAbandoned { return .some(nil) }
          if let event = state.event.take() { return event }
          state.waiter = continuation
          return nil
        }
        if let event { continuation.resume(returning: event) }
      }
    } onCancel: {
      abandon()
    }
    guard let event else { throw .cancelled }
    return event
  }

  /// Lets the module go on that waits for answers.
  func answer(_ answers: [Secret?]) {
    state.withLock { $0.answers = answers }
    answered.signal()
  }

  /// Gives up: from now on no module gets an answer.
  func abandon() {
    let waiter = state.withLock { state in
      state.isAbandoned = true
      state.answers = []
      return state.waiter.take()
    }
    waiter?.resume(returning: nil)
    answered.signal()
  }

  /// On the thread, waits for the answers to messages; nil when the transaction is abandoned.
  func answers(to messages: [PAMMessage]) -> [Secret?]? {
    publish(.messages(messages))
    let mayAsk = state.withLock { !$0.isAbandoned }
    if mayAsk { answered.wait() }
    return state.withLock { state in
      defer { state.answers = [] }
      return state.isAbandoned ? nil : state.answers
    }
  }

  private func publish(_ event: Event) {
    let waiter = state.withLock { state in
      let waiter = state.waiter.take()
      if waiter == nil { state.event = event }
      return waiter
    }
    waiter?.resume(returning: event)
  }
}

/// What a module of PAM shows or asks.
enum PAMMessage: Hashable, Sendable {
  case message(AuthenticationMessage)
  case question(AuthenticationQuestion)
}
