import CLibrary
import Concurrency
import Dispatch

/// An authentication during which a thread calls PAM's blocking library and a task asks the user.
///
/// The library is not interruptible: the thread of a cancelled task ends when the modules return.
final class PAMTransaction: Sendable {
  enum Event: Sendable {
    /// A module has sent messages, and waits for the same number of answers.
    case messages([PAMMessage])
    /// The library has returned.
    case ended(Result<Void, SecretStoreError>)
  }

  private struct State {
    var answers: [Secret?] = []
    var isAbandoned = false
    /// The reason for rejecting a module's messages or an answer; a return code cannot express it.
    var failure: SecretStoreError?
  }

  /// The events that the thread sends; the iteration ends when the task is cancelled.
  let events: AsyncStream<Event>
  private let continuation: AsyncStream<Event>.Continuation
  private let state = Lock(State())
  private let answered = DispatchSemaphore(value: 0)

  init(_ user: String, by service: PAMService, _ library: LibPAM) {
    (events, continuation) = AsyncStream.makeStream()
    // The queue is a separate one, because a module may sleep arbitrarily long.
    DispatchQueue(label: "locket.pam").async {
      let result = Result { () throws(SecretStoreError) in
        try self.authenticate(user, by: service, library)
      }
      self.continuation.yield(.ended(result))
    }
  }

  /// Passes the answers to the waiting module; nil answers a message that is not a question.
  func answer(_ answers: [Secret?]) {
    state.withLock { $0.answers = answers }
    answered.signal()
  }

  /// Ends the conversation: the modules get no further answers.
  func abandon() {
    state.withLock { $0 = State(isAbandoned: true) }
    answered.signal()
  }

  private func authenticate(
    _ user: String, by service: PAMService, _ library: LibPAM
  ) throws(SecretStoreError) {
    // This object outlives the handle, which stores its address.
    let conversation = unsafe LibPAM.Conversation(
      converse: converse, context: Unmanaged.passUnretained(self).toOpaque())
    var (handle, code) = unsafe library.begin(service, user: user, conversation)
    guard let handle = unsafe handle else { throw unsafe library.error(code, nil, of: service) }
    defer { _ = unsafe library.end(handle, code) }
    if let terminal = Terminal.path { code = unsafe library.setTerminal(terminal, of: handle) }
    if code == 0 { code = unsafe library.authenticate(handle, LibPAM.disallowNullToken) }
    if code == 0 { code = unsafe library.checkAccount(handle, LibPAM.disallowNullToken) }
    if code == 0 { return }
    if let failure = state.withLock({ $0.failure }) { throw failure }
    throw unsafe library.error(code, handle, of: service)
  }

  /// Sends messages to the task, and returns its answers; returns nil if a message or an answer is
  /// invalid, or if the task has abandoned the transaction.
  fileprivate func answers(
    count: Int32, _ messages: UnsafePointer<UnsafeRawPointer?>?
  ) -> [Secret?]? {
    do throws(SecretStoreError) {
      guard (1...LibPAM.messageLimit).contains(Int(count)), let messages = unsafe messages else {
        throw .unavailable(
          """
          A PAM module sent \(count) messages in one call, and the limit is \(LibPAM.messageLimit). \
          Remove the module from the service's file, or update it.
          """)
      }
      var converted: [PAMMessage] = []
      for index in 0..<Int(count) {
        // The library guarantees that the element points to a valid `struct pam_message`.
        let message = unsafe messages[index]?.assumingMemoryBound(to: LibPAM.Message.self)
        converted.append(unsafe try PAMMessage(message?.pointee))
      }
      continuation.yield(.messages(converted))
      let mustWait = state.withLock { !$0.isAbandoned }
      if mustWait { answered.wait() }
      let answers: [Secret?]? = state.withLock { state in
        defer { state.answers = [] }
        return state.isAbandoned ? nil : state.answers
      }
      if answers?.contains(where: { $0?.hasZeroByte == true }) == true {
        throw .invalid("An answer to PAM must not contain a zero byte")
      }
      return answers
    } catch {
      state.withLock { $0.failure = error }
      return nil
    }
  }
}

/// The conversation callback; see pam_conv(3).
private func converse(
  count: Int32, messages: UnsafePointer<UnsafeRawPointer?>?,
  responses: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let context = unsafe context, let responses = unsafe responses else {
    return LibPAM.conversationFailed
  }
  // The method that passes this object retains it until the library returns.
  let transaction = unsafe Unmanaged<PAMTransaction>.fromOpaque(context).takeUnretainedValue()
  guard let answers = unsafe transaction.answers(count: count, messages) else {
    return LibPAM.conversationFailed
  }
  unsafe responses.pointee = allocateResponses(answers)
  return 0
}

/// Returns an array of `struct pam_response`, which the module frees.
private func allocateResponses(_ answers: [Secret?]) -> UnsafeMutableRawPointer {
  // Like Swift's own allocations, these allocations trap if there is no memory.
  let array = unsafe calloc(answers.count, MemoryLayout<LibPAM.Response>.stride)!
  let responses = unsafe array.bindMemory(to: LibPAM.Response.self, capacity: answers.count)
  for (index, answer) in answers.enumerated() {
    guard let answer else { continue }
    let text = unsafe calloc(answer.count + 1, 1)!
    unsafe answer.withUnsafeBytes {
      unsafe text.copyMemory(from: $0.baseAddress!, byteCount: $0.count)
    }
    unsafe responses[index].text = text.assumingMemoryBound(to: CChar.self)
  }
  return unsafe array
}

enum PAMMessage: Sendable {
  case message(AuthenticationMessage)
  case question(AuthenticationQuestion)

  fileprivate init(_ message: LibPAM.Message?) throws(SecretStoreError) {
    // Invalid UTF-8 is repaired, and a missing string is treated as empty.
    let text = unsafe message?.text.map { unsafe String(cString: $0) } ?? ""
    switch unsafe message?.style {
    case 1: self = .question(.hidden(text))  // PAM_PROMPT_ECHO_OFF
    case 2: self = .question(.visible(text))  // PAM_PROMPT_ECHO_ON
    case 3: self = .message(.error(text))  // PAM_ERROR_MSG
    case 4: self = .message(.information(text))  // PAM_TEXT_INFO
    default:
      throw .unavailable(
        """
        A PAM module sent a message of an unknown kind. Remove the module from the service's file, or \
        use another service.
        """)
    }
  }
}

extension Secret {
  fileprivate var hasZeroByte: Bool { unsafe withUnsafeBytes { unsafe $0.contains(0) } }
}
