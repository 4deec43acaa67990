import CLibrary

extension PAMTransaction {
  /// Asks the library to verify a user's identity and to check that their account is valid.
  ///
  /// It blocks, and calls back when the modules have messages.
  func authenticate(
    _ user: String, by service: PAMService, _ library: LibPAM
  ) throws(SecretStoreError) {
    let exchange = PAMExchange(self)
    defer { withExtendedLifetime(exchange) {} }
    // The exchange outlives the handle, which alone stores its address.
    let conversation = unsafe LibPAM.Conversation(
      converse: converse, context: Unmanaged.passUnretained(exchange).toOpaque())
    var (handle, code) = unsafe library.begin(service, user: user, conversation)
    guard let handle = unsafe handle else {
      throw code.error(unsafe library.text(of: code), of: service)
    }
    defer { _ = unsafe library.end(handle, code.rawValue) }
    if let terminal = Terminal.path { code = unsafe library.setTerminal(terminal, of: handle) }
    if code == .success {
      code = PAMCode(rawValue: unsafe library.authenticate(handle, LibPAM.disallowNoPassword))
    }
    if code == .success {
      code = PAMCode(rawValue: unsafe library.checkAccount(handle, LibPAM.disallowNoPassword))
    }
    if code == .success { return }
    if let failure = exchange.failure { throw failure }
    throw code.error(unsafe library.text(of: code, handle), of: service)
  }
}

/// The context of the library's callback, used only by the thread that calls the library.
private final class PAMExchange {
  let transaction: PAMTransaction
  /// The reason for refusing a module's messages, which the returned code cannot express.
  var failure: SecretStoreError?

  init(_ transaction: PAMTransaction) {
    self.transaction = transaction
  }

  func converse(_ messages: UnsafeBufferPointer<UnsafeRawPointer?>) -> [Secret?]? {
    do throws(SecretStoreError) {
      var read: [PAMMessage] = []
      for index in messages.indices {
        // The caller guarantees that this is a valid `struct pam_message` for the time of the call.
        let message = unsafe messages[index]?.assumingMemoryBound(to: LibPAM.Message.self)
        read.append(unsafe try PAMMessage(message?.pointee))
      }
      guard let answers = transaction.answers(to: read) else { return nil }
      if answers.contains(where: { $0?.hasZeroByte == true }) {
        throw .invalid("An answer to PAM cannot have a zero byte")
      }
      return answers
    } catch {
      failure = error
      return nil
    }
  }
}

/// The callback for the modules; see pam_conv(3).
private func converse(
  count: Int32, messages: UnsafePointer<UnsafeRawPointer?>?,
  responses: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, context: UnsafeMutableRawPointer?
) -> Int32 {
  // `authenticate(_:by:_:)` passed this address of an object that it keeps alive.
  guard let context = unsafe context else { return PAMCode.conversationFailed.rawValue }
  let exchange = unsafe Unmanaged<PAMExchange>.fromOpaque(context).takeUnretainedValue()
  guard (1...LibPAM.mostMessages).contains(Int(count)), let messages = unsafe messages,
    let responses = unsafe responses
  else {
    exchange.failure = .unavailable(
      """
      A module of PAM sent \(count) messages at once, of which \(LibPAM.mostMessages) are allowed. \
      Remove the module from the service's file, or update it.
      """)
    return PAMCode.conversationFailed.rawValue
  }
  let read = unsafe UnsafeBufferPointer(start: messages, count: Int(count))
  guard let answers = unsafe exchange.converse(read) else {
    return PAMCode.conversationFailed.rawValue
  }
  guard let made = unsafe allocateResponses(answers) else { return PAMCode.outOfMemory.rawValue }
  unsafe responses.pointee = made
  return PAMCode.success.rawValue
}

/// Copies answers into an array of `struct pam_response`; the module frees the array and its texts.
private func allocateResponses(_ answers: [Secret?]) -> UnsafeMutableRawPointer? {
  guard
    let array = unsafe calloc(answers.count, MemoryLayout<LibPAM.Response>.stride)
  else { return nil }
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
    // Invalid UTF-8 is repaired, and a missing text counts as empty.
    let text = unsafe message?.text.map { unsafe String(cString: $0) } ?? ""
    switch unsafe message?.style {
    case 1: self = .question(.hidden(text))  // PAM_PROMPT_ECHO_OFF
    case 2: self = .question(.visible(text))  // PAM_PROMPT_ECHO_ON
    case 3: self = .message(.error(text))  // PAM_ERROR_MSG
    case 4: self = .message(.information(text))  // PAM_TEXT_INFO
    case let style:
      throw .unavailable(
        """
        A module of PAM sent a message of a kind that Locket does not know \
        (\(style.map { "style \($0)" } ?? "no message at all")). Remove the module from the \
        service's file, or use another service.
        """)
    }
  }
}

extension Secret {
  fileprivate var hasZeroByte: Bool {
    unsafe withUnsafeBytes { unsafe $0.contains(0) }
  }
}
