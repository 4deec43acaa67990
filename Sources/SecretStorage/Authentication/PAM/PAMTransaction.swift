import Concurrency
import Dispatch

/// One authentication by PAM: a thread that calls the blocking library, and a task that talks to
/// the person meanwhile.
///
/// The library cannot be interrupted. When the task gives up, it abandons the transaction: the
/// thread ends when the modules return, and their further questions get no answer.
final class PAMTransaction: Sendable {
  /// An event that the thread passes to the task.
  enum Event: Sendable {
    /// A module has messages, and waits for the same number of answers.
    case messages([PAMMessage])
    /// The library has returned.
    case ended(Result<Void, SecretStoreError>)
  }

  private struct State {
    var answers: [Secret?] = []
    var isAbandoned = false
  }

  /// The events of the thread; iterating ends early when the task is cancelled.
  let events: AsyncStream<Event>
  private let publisher: AsyncStream<Event>.Continuation
  private let state = Lock(State(), inForkedChild: { State(isAbandoned: true) })
  private let answered = DispatchSemaphore(value: 0)

  init() {
    (events, publisher) = AsyncStream.makeStream()
  }

  /// Calls a closure on a separate thread, and publishes its result as the last event.
  func begin(
    _ body: @escaping @Sendable (PAMTransaction) throws(SecretStoreError) -> Void
  ) {
    // A separate queue, because a module may sleep for any length of time.
    DispatchQueue(label: "locket.pam").async {
      self.publisher.yield(.ended(Result { () throws(SecretStoreError) in try body(self) }))
    }
  }

  /// Passes the answers to the waiting module.
  func answer(_ answers: [Secret?]) {
    state.withLock { $0.answers = answers }
    answered.signal()
  }

  /// Gives up: no module gets an answer any more.
  func abandon() {
    state.withLock { $0 = State(isAbandoned: true) }
    answered.signal()
  }

  /// Waits, on the library's thread, for the answers to messages; nil after ``abandon()``.
  func answers(to messages: [PAMMessage]) -> [Secret?]? {
    publisher.yield(.messages(messages))
    let mayAsk = state.withLock { !$0.isAbandoned }
    if mayAsk { answered.wait() }
    return state.withLock { state in
      defer { state.answers = [] }
      return state.isAbandoned ? nil : state.answers
    }
  }
}

/// A message or question of a PAM module.
enum PAMMessage: Hashable, Sendable {
  case message(AuthenticationMessage)
  case question(AuthenticationQuestion)
}
