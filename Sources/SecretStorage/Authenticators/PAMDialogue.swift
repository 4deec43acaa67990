/// What modules of PAM and a person said to each other so far, and what that proves.
struct PAMDialogue {
  private let request: AuthenticationRequest
  private let conversation: any AuthenticationConversation
  private var gaveReason = false
  private var asked = false

  init(_ request: AuthenticationRequest, _ conversation: any AuthenticationConversation) {
    self.request = request
    self.conversation = conversation
  }

  /// Shows and asks what a module has, and returns an answer for each question, nil for the others.
  mutating func answers(to messages: [PAMMessage]) async throws(SecretStoreError) -> [Secret?] {
    var answers: [Secret?] = []
    for message in messages {
      switch message {
      case .message(let message):
        try await giveReason()
        try await conversation.show(message)
        answers.append(nil)
      case .question(let question):
        if question.isHidden, !request.accepted.contains(.passcode) {
          // A password that proves the wrong thing need not be typed.
          throw .denied("\(request.accepted) is asked for, and PAM asked for a password")
        }
        try await giveReason()
        answers.append(try await conversation.ask(question))
        asked = true
      }
    }
    return answers
  }

  private mutating func giveReason() async throws(SecretStoreError) {
    if gaveReason { return }
    gaveReason = true
    try await conversation.show(.reason(request.reason))
  }

  /// What the success of the modules proves.
  func proofs(hasFingerprintReader: Bool) throws(SecretStoreError) -> AuthenticationProofs {
    let proofs: AuthenticationProofs = hasFingerprintReader && !asked ? .biometry : .passcode
    if request.accepted.isDisjoint(with: proofs) {
      throw .denied("\(request.accepted) is asked for, and \(proofs) was proved")
    }
    return proofs
  }
}
