/// The dialogue between PAM's modules and the user.
struct PAMDialogue {
  let request: AuthenticationRequest
  let conversation: any AuthenticationConversation
  var hasShownReason = false
  var hasAsked = false

  /// Shows the messages of a module; returns the answers to questions, and nil for other messages.
  mutating func answers(to messages: [PAMMessage]) async throws(SecretStoreError) -> [Secret?] {
    var answers: [Secret?] = []
    for message in messages {
      switch message {
      case .message(let message):
        try await showReason()
        try await conversation.show(message)
        answers.append(nil)
      case .question(let question):
        if question.isHidden, !request.accepted.contains(.passcode) {
          // The user would enter a password in vain.
          throw .denied("\(request.accepted) is needed, and PAM asked for a password")
        }
        try await showReason()
        answers.append(try await conversation.ask(question))
        hasAsked = true
      }
    }
    return answers
  }

  private mutating func showReason() async throws(SecretStoreError) {
    if hasShownReason { return }
    hasShownReason = true
    try await conversation.show(.reason(request.reason))
  }

  /// Returns the proofs that a successful login implies.
  func proofs(hasFingerprintReader: Bool) throws(SecretStoreError) -> AuthenticationProofs {
    let proofs: AuthenticationProofs = hasFingerprintReader && !hasAsked ? .biometry : .passcode
    if request.accepted.isDisjoint(with: proofs) {
      throw .denied("\(request.accepted) is needed, and \(proofs) was proved")
    }
    return proofs
  }
}
