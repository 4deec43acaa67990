import Validation

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
        for field in SignUpField.allCases where field.isSecret { model[field].value = offer }
        return
      }
      model[.password].value = password
      if try await !isRight(.password) { continue }
      model[.repetition].value = try ask("\(texts.label(.repetition)): ", field: .repetition)
      if try await isRight(.repetition) { return }
    }
  }

  private func fill(_ field: SignUpField) async throws {
    repeat {
      model[field].value = try ask("\(texts.label(field)): ", field: field)
    } while try await !isRight(field)
  }

  /// A generated password is shown to a person, and not to whoever keeps a script's messages.
  private func passwordPrompt(_ offer: String?) -> String {
    let label = texts.label(.password)
    guard let offer else { return "\(label): " }
    let isSeen = isatty(STDERR_FILENO) == 1
    return "\(label) (\(isSeen ? "\(texts.offer(offer)); " : "")\(texts.emptyTakesOffer)): "
  }

  /// Says what is missing and wrong and how far the person is, and whether the field is right.
  private func isRight(_ field: SignUpField) async throws -> Bool {
    let report = await model[field].validate()
    for check in report.checks {
      let text = check.text(in: texts.language)
      switch check.state {
      case .satisfied, .waiting, .pending: break
      case .notYet, .broken: try say("  \(check.state.text(in: texts.language)): \(text)")
      case .unavailable: try say("  \(text)")
      }
    }
    try say("  \(model.form.report.progressText(in: texts.language))")
    return report.isValid
  }

  private func ask(_ prompt: String, field: SignUpField) throws -> String {
    let line = try answer(to: prompt, field: field)
    // Above all the carriage return of a script from elsewhere, which nobody could type again.
    guard line.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
      throw Failure("The line has a control character, and nothing was saved.")
    }
    return line
  }

  private func answer(to prompt: String, field: SignUpField) throws -> String {
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
