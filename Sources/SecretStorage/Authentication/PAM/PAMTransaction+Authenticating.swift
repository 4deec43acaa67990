import CLibrary

// The authentication, and the conversation in which a PAM module asks the user.
extension PAMTransaction {
  /// Authenticates a user and checks the account, which blocks until the modules have returned.
  func authenticate(
    _ user: String, by service: PAMService, _ library: LibPAM
  ) throws(SecretStoreError) {
    let exchange = PAMExchange(self)
    defer { withExtendedLifetime(exchange) {} }
    // The exchange outlives the handle, which stores its address.
    let conversation = unsafe LibPAM.Conversation(
      converse: converse, context: Unmanaged.passUnretained(exchange).toOpaque())
    var (handle, code) = unsafe library.begin(service, user: user, conversation)
    guard let handle = unsafe handle else {
      throw code.error(unsafe library.message(for: code), of: service)
    }
    defer { _ = unsafe library.end(handle, code.rawValue) }
    if let terminal = Terminal.path { code = unsafe library.setTerminal(terminal, of: handle) }
    if code == .success {
      code = PAMCode(rawValue: unsafe library.authenticate(handle, LibPAM.disallowNullToken))
    }
    if code == .success {
      code = PAMCode(rawValue: unsafe library.checkAccount(handle, LibPAM.disallowNullToken))
    }
    if code == .success { return }
    if let failure = exchange.failure { throw failure }
    throw code.error(unsafe library.message(for: code, handle), of: service)
  }
}

/// The context of the conversation callback; only the thread that calls the library uses it.
private final class PAMExchange {
  let transaction: PAMTransaction
  /// The reason for rejecting a module's messages, which a return code cannot express.
  var failure: SecretStoreError?

  init(_ transaction: PAMTransaction) {
    self.transaction = transaction
  }

  func converse(_ messages: UnsafeBufferPointer<UnsafeRawPointer?>) -> [Secret?]? {
    do throws(SecretStoreError) {
      var converted: [PAMMessage] = []
      for index in messages.indices {
        // The caller guarantees that this points to a valid `struct pam_message`.
        let message = unsafe messages[index]?.assumingMemoryBound(to: LibPAM.Message.self)
        converted.append(unsafe try PAMMessage(message?.pointee))
      }
      guard let answers = transaction.answers(to: converted) else { return nil }
      if answers.contains(where: { $0?.hasZeroByte == true }) {
        throw .invalid("An answer to PAM must not contain a zero byte")
      }
      return answers
    } catch {
      failure = error
      return nil
    }
  }
}

/// The conversation callback; see pam_conv(3).
private func converse(
  count: Int32, messages: UnsafePointer<UnsafeRawPointer?>?,
  responses: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, context: UnsafeMutableRawPointer?
) -> Int32 {
  // `authenticate(_:by:_:)` passes this object, and retains it until the library returns.
  guard let context = unsafe context else { return PAMCode.conversationFailed.rawValue }
  let exchange = unsafe Unmanaged<PAMExchange>.fromOpaque(context).takeUnretainedValue()
  guard (1...LibPAM.messageLimit).contains(Int(count)), let messages = unsafe messages,
    let responses = unsafe responses
  else {
    exchange.failure = .unavailable(
      """
      A PAM module sent \(count) messages in one call, and the limit is \(LibPAM.messageLimit). \
      Remove the module from the service's file, or update it.
      """)
    return PAMCode.conversationFailed.rawValue
  }
  let buffer = unsafe UnsafeBufferPointer(start: messages, count: Int(count))
  guard let answers = unsafe exchange.converse(buffer) else {
    return PAMCode.conversationFailed.rawValue
  }
  guard let allocated = unsafe allocateResponses(answers) else {
    return PAMCode.outOfMemory.rawValue
  }
  unsafe responses.pointee = allocated
  return PAMCode.success.rawValue
}

/// Copies answers to an array of `struct pam_response`, which the module frees.
private func allocateResponses(_ answers: [Secret?]) -> UnsafeMutableRawPointer? {
  guard let array = unsafe calloc(answers.count, MemoryLayout<LibPAM.Response>.stride) else {
    return nil
  }
  let responses = unsafe array.bindMemory(to: LibPAM.Response.self, capacity: answers.count)
  for (index, answer) in answers.enumerated() {
    guard let answer else { continue }
    guard let text = unsafe calloc(answer.count + 1, 1) else {
      for (index, answer) in answers[..<index].enumerated() {
        guard let answer, let text = unsafe responses[index].text else { continue }
        unsafe explicit_bzero(text, answer.count)
        unsafe free(text)
      }
      unsafe free(array)
      return nil
    }
    unsafe answer.withUnsafeBytes {
      unsafe text.copyMemory(from: $0.baseAddress!, byteCount: $0.count)
    }
    unsafe responses[index].text = text.assumingMemoryBound(to: CChar.self)
  }
  return unsafe array
}

extension PAMMessage {
  fileprivate init(_ message: LibPAM.Message?) throws(SecretStoreError) {
    // Invalid UTF-8 is repaired, and a missing string is treated as empty.
    let text = unsafe message?.text.map { unsafe String(cString: $0) } ?? ""
    switch unsafe message?.style {
    case 1: self = .question(.hidden(text))  // PAM_PROMPT_ECHO_OFF
    case 2: self = .question(.visible(text))  // PAM_PROMPT_ECHO_ON
    case 3: self = .message(.error(text))  // PAM_ERROR_MSG
    case 4: self = .message(.information(text))  // PAM_TEXT_INFO
    case let style:
      throw .unavailable(
        """
        A PAM module sent a message of an unknown kind \
        (\(style.map { "style \($0)" } ?? "no message")). Remove the module from the service's \
        file, or use another service.
        """)
    }
  }
}

extension Secret {
  fileprivate var hasZeroByte: Bool { unsafe withUnsafeBytes { unsafe $0.contains(0) } }
}
