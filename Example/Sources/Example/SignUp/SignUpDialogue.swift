import SecretStorage
import Validation

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// The sign-up line by line: for scripts, screen readers, and terminals that cannot move a cursor.
///
/// Questions and messages are on standard error, and the answers are lines of standard input.
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
      let password = try await ask(passwordPrompt(offer), field: .password)
      if password.isEmpty, let offer {
        for field in SignUpField.allCases where field.isSecret { model[field].value = offer }
        return
      }
      model[.password].value = password
      if try await !isRight(.password) { continue }
      let repetition = try await ask("\(texts.label(.repetition)): ", field: .repetition)
      model[.repetition].value = repetition
      if try await isRight(.repetition) { return }
    }
  }

  private func fill(_ field: SignUpField) async throws {
    repeat {
      model[field].value = try await ask("\(texts.label(field)): ", field: field)
    } while try await !isRight(field)
  }

  /// The prompt with a generated password, which is shown on a terminal and not in a script's log.
  private func passwordPrompt(_ offer: String?) -> String {
    let label = texts.label(.password)
    guard let offer else { return "\(label): " }
    let isSeen = isatty(STDERR_FILENO) == 1
    return "\(label) (\(isSeen ? "\(texts.offer(offer)); " : "")\(texts.emptyTakesOffer)): "
  }

  /// Prints the errors and the progress, and returns whether the field is right.
  private func isRight(_ field: SignUpField) async throws -> Bool {
    let report = await model[field].validate()
    for check in report.checks {
      let text = check.text(in: texts.language)
      switch check.state {
      case .satisfied, .waiting, .pending: break
      case .incomplete, .violated: try say("  \(check.state.text(in: texts.language)): \(text)")
      case .unavailable: try say("  \(text)")
      }
    }
    try say("  \(model.form.report.progressText(in: texts.language))")
    return report.isValid
  }

  private func ask(_ prompt: String, field: SignUpField) async throws -> String {
    let line = try await answer(to: prompt, field: field)
    // Above all the carriage return of a script of another system, which could not be typed again.
    guard line.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
      throw Failure("The line has a control character, and nothing was saved.")
    }
    return line
  }

  private func answer(to prompt: String, field: SignUpField) async throws -> String {
    if field.isSecret, isatty(STDIN_FILENO) == 1 { return try await hiddenAnswer(to: prompt) }
    try Output.write(prompt, to: STDERR_FILENO)
    guard let line = try LineInput.next() else { throw Failure(texts.ended) }
    // A script's newline does not show.
    if isatty(STDIN_FILENO) == 0 { try say("") }
    return line
  }

  private func hiddenAnswer(to prompt: String) async throws -> String {
    do throws(SecretStoreError) {
      let secret = try await TerminalConversation().ask(.hidden(prompt))
      // The bytes are copied inside of the closure.
      return unsafe secret.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    } catch {
      throw error == .cancelled ? Failure(texts.ended) : error
    }
  }

  private func say(_ text: String) throws(Failure) {
    try Output.line(text, to: STDERR_FILENO)
  }
}

/// Standard input, line by line, and no byte more: the rest is for the next reader.
private enum LineInput {
  private static let limit = 64 * 1024

  /// The next line without its newline, or nil at the end of the input.
  static func next() throws(Failure) -> String? {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while true {
      // The byte is a variable of this call.
      let count = unsafe readBytes(STDIN_FILENO, &byte, 1)
      if count < 0 { throw Failure(call: "Reading standard input") }
      if count == 0, bytes.isEmpty { return nil }
      if count == 0 || byte == UInt8(ascii: "\n") { break }
      if bytes.count == limit { throw Failure("A line of standard input has more than 64 KiB.") }
      bytes.append(byte)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Failure("Standard input is not text in UTF-8.")
    }
    return text
  }
}
