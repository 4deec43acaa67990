#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// The sign-up line by line: for scripts, screen readers, and terminals that cannot move a cursor.
///
/// What is asked and said is on standard error, and the answers are lines of standard input.
struct SignUpDialogue {
  let site: String
  let texts: SignUpTexts
  let model: SignUpModel

  /// Asks until everything is right.
  ///
  /// - Throws: A `Failure` at the end of the input.
  func fill() async throws {
    try say(texts.title(site))
    try await fill(.userName)
    let offer = model.suggestion()
    while true {
      let password = try ask(passwordPrompt(offer), field: .password)
      if password.isEmpty, let offer {
        for field in SignUpField.allCases where field.isSecret { model.set(offer, for: field) }
        return
      }
      model.set(password, for: .password)
      if try await !isRight(.password) { continue }
      model.set(try ask("\(texts.label(.repetition)): ", field: .repetition), for: .repetition)
      if try await isRight(.repetition) { return }
    }
  }

  private func fill(_ field: SignUpField) async throws {
    repeat {
      model.set(try ask("\(texts.label(field)): ", field: field), for: field)
    } while try await !isRight(field)
  }

  /// A generated password is shown to a person, and not to whoever keeps a script's messages.
  private func passwordPrompt(_ offer: String?) -> String {
    let label = texts.label(.password)
    guard let offer else { return "\(label): " }
    let isSeen = isatty(STDERR_FILENO) == 1
    return "\(label) (\(isSeen ? "\(texts.offer(offer)); " : "")\(texts.emptyTakesOffer)): "
  }

  /// Says what is missing and wrong, and whether nothing is.
  private func isRight(_ field: SignUpField) async throws -> Bool {
    model.touch(field)
    await model.settle()
    let checks = model.checks(of: field)
    for check in checks {
      switch check.state {
      case .satisfied, .waiting, .pending: break
      case .notYet: try say("  \(texts.missing): \(check.text)")
      case .broken: try say("  \(texts.wrong): \(check.text)")
      case .unavailable: try say("  \(texts.unknown): \(check.text)")
      }
    }
    return checks.allSatisfy { $0.state == .satisfied }
  }

  private func ask(_ prompt: String, field: SignUpField) throws -> String {
    if field.isSecret, isatty(STDIN_FILENO) == 1, let terminal = Terminal() {
      return try terminal.ask(prompt).text
    }
    try Output.write(Array(prompt.utf8), to: .standardError)
    guard let line = try LineInput.next() else { throw Failure(texts.ended) }
    // Nobody's typing has moved a terminal on to the next line.
    if isatty(STDIN_FILENO) == 0 { try say("") }
    return line
  }

  private func say(_ text: String) throws(Failure) {
    try Output.line(text, to: .standardError)
  }
}
