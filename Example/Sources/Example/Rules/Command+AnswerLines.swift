import PasswordRules

extension Option {
  fileprivate static let reference = Option(
    "reference", nil, "read and print as the reference parser does, which drops errors silently")
  fileprivate static let minified = Option(
    "minified", nil, "leave out what goes without saying; without --reference, that is so anyway")
}

extension Command {
  /// What is to be known of commands for scripts.
  private static let lineNotes = """
    Each line of standard input is a string of JSON, such as "minlength: 8;", and is answered by one
    line. Half of a surrogate pair without the other counts as any character that is not of ASCII.
    Where there is no answer, the line is empty, and standard error says why. The exit status is 2 if
    a line was no string of JSON or was too much to be counted, otherwise 1 if a descriptor was not in
    the language, otherwise 0.
    """

  static let canonicalRules = Command(
    name: "rules canonical",
    summary: "For scripts: prints descriptors in the canonical form, as strings of JSON.",
    options: [.reference, .minified],
    notes: lineNotes
  ) { arguments in
    let format: ReferenceFormat = arguments.has(.minified) ? .minified : .canonical
    let isReference = arguments.has(.reference)
    return try answerLines { descriptor in
      let text =
        isReference
        ? format.text(for: descriptor) : try PasswordRuleSet(descriptor).descriptor
      return text.quotedForJSON
    }
  }

  static let countPasswords = Command(
    name: "rules count",
    summary: "For scripts: counts the passwords of a length that satisfy descriptors.",
    options: [.length, .any],
    notes: lineNotes
  ) { arguments in
    guard let length = try arguments.number(.length, from: 0) else {
      throw UsageError("--length must say how long the passwords are.")
    }
    let reading = arguments.reading
    return try answerLines { descriptor in
      try PasswordRuleSet(descriptor).count(length: length, reading: reading).description
    }
  }

  /// Answers each line that is a string of JSON, and returns the worst that happened.
  private static func answerLines(_ answer: (String) throws -> String) throws -> ExitStatus {
    var lines = InputLines()
    var answers: [UInt8] = []
    var status = ExitStatus.done
    var number = 0
    // What was answered is written before a wait, so that a script may ask again.
    repeat {
      while let line = lines.next() {
        number += 1
        do {
          guard let text = String(json: line) else {
            throw Failure("It is not a string of JSON, such as \"minlength: 8;\".")
          }
          answers += Array(try answer(text).utf8)
        } catch {
          try Output.write(answers)
          answers.removeAll(keepingCapacity: true)
          status = max(status, error is DescriptorSyntaxError ? .refused : .failed)
          Program.report("Line \(number): \((error as? Failure)?.reason ?? "\(error)")")
        }
        answers.append(UInt8(ascii: "\n"))
      }
      try Output.write(answers)
      answers.removeAll(keepingCapacity: true)
    } while try lines.read()
    return status
  }
}
