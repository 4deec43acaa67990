import Concurrency
import Dispatch

/// An authentication during which a thread calls PAM's blocking library and a task asks the user.
///
/// The library cannot be interrupted: after a cancellation, the modules' questions are no longer
/// answered, and the thread ends when the modules return.
final class PAMTransaction: Sendable {
  /// An event that the thread sends to the task.
  enum Event: Sendable {
    /// A module has sent messages, and waits for the same number of answers.
    case messages([PAMMessage])
    /// The library has returned.
    case ended(Result<Void, SecretStoreError>)
  }

  private struct State {
    var answers: [Secret?] = []
    var isAbandoned = false
  }

  /// The events that the thread sends; the iteration ends when the task is cancelled.
  let events: AsyncStream<Event>
  private let continuation: AsyncStream<Event>.Continuation
  private let state = Lock(State())
  private let answered = DispatchSemaphore(value: 0)

  init() {
    (events, continuation) = AsyncStream.makeStream()
  }

  /// Calls a closure on a separate thread, and sends its result as the last event.
  func begin(_ body: @escaping @Sendable (PAMTransaction) throws(SecretStoreError) -> Void) {
    // A separate queue, because a module may sleep arbitrarily long.
    DispatchQueue(label: "locket.pam").async {
      self.continuation.yield(.ended(Result { () throws(SecretStoreError) in try body(self) }))
    }
  }

  /// Sends answers to the waiting module.
  func answer(_ answers: [Secret?]) {
    state.withLock { $0.answers = answers }
    answered.signal()
  }

  /// Abandons the transaction; the modules receive no further answers.
  func abandon() {
    state.withLock { $0 = State(isAbandoned: true) }
    answered.signal()
  }

  /// Sends messages from the library's thread, and waits for the answers; nil after `abandon()`.
  func answers(to messages: [PAMMessage]) -> [Secret?]? {
    continuation.yield(.messages(messages))
    let mustWait = state.withLock { !$0.isAbandoned }
    if mustWait { answered.wait() }
    return state.withLock { state in
      defer { state.answers = [] }
      return state.isAbandoned ? nil : state.answers
    }
  }
}

/// A message or a question from a PAM module.
enum PAMMessage: Hashable, Sendable {
  case message(AuthenticationMessage)
  case question(AuthenticationQuestion)
}
