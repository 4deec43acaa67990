import CLibrary
import PasswordRules
import ValueFormats

extension Option {
  fileprivate static let reference = Option(
    "reference", nil, "parse and print like the reference parser, which ignores errors")
  fileprivate static let minified = Option(
    "minified", nil, "omit redundant rules; without --reference, they are always omitted")
}

extension Command {
  /// The notes of the commands for scripts.
  private static let lineNotes = """
    Each line of standard input must be a JSON string, such as "minlength: 8;". One line is printed for
    each of them. On an error, the line is empty, and the reason is printed on standard error. The exit
    status is 2 if a line is not a JSON string or cannot be counted, otherwise 1 if a descriptor is
    invalid, otherwise 0.
    """

  static let canonicalRules = Command(
    name: "rules canonical",
    summary: "For scripts: prints descriptors in the canonical form, as JSON strings.",
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
      throw UsageError("Specify the length of the passwords with --length.")
    }
    let mode = arguments.matchingMode
    return try answerLines { descriptor in
      try PasswordRuleSet(descriptor).count(length: length, matching: mode).description
    }
  }

  /// Answers each line that is a JSON string, and returns the most severe status of a line.
  private static func answerLines(_ answer: (String) throws -> String) throws -> ExitStatus {
    var lines = InputLines()
    var answers: [UInt8] = []
    var status = ExitStatus.done
    var number = 0
    // Writes the answers before waiting for input, so that a script can use them for its next line.
    repeat {
      while let line = lines.next() {
        number += 1
        do {
          answers += Array(try answer(string(json: line)).utf8)
        } catch {
          try Output.write(answers)
          answers.removeAll(keepingCapacity: true)
          if case PasswordRulesError.syntax = error {
            status = max(status, .refused)
          } else {
            status = .failed
          }
          Program.report("Line \(number): \((error as? Failure)?.reason ?? "\(error)")")
        }
        answers.append(UInt8(ascii: "\n"))
      }
      try Output.write(answers)
      answers.removeAll(keepingCapacity: true)
    } while try lines.read()
    return status
  }

  private static func string(json line: ArraySlice<UInt8>) throws(Failure) -> String {
    let expected = "Expected a JSON string, such as \"minlength: 8;\""
    let tree: ValueTree
    do throws(FormatError) {
      tree = try JSONFormat(.plain).decode(line)
    } catch {
      throw Failure("\(expected): \(error.reason).")
    }
    guard case .string(let text) = tree else { throw Failure("\(expected).") }
    return text
  }
}

/// The lines of standard input, read incrementally.
private struct InputLines {
  private static let newline = UInt8(ascii: "\n")

  private var bytes: [UInt8] = []
  /// The index at which the next line begins.
  private var start = 0
  /// The index up to which no newline was found.
  private var searched = 0
  private var isAtEnd = false

  /// Returns the next complete line without its newline; nil if more input is needed.
  mutating func next() -> ArraySlice<UInt8>? {
    guard let end = bytes[searched...].firstIndex(of: Self.newline) else {
      searched = bytes.count
      return nil
    }
    defer {
      start = end + 1
      searched = start
    }
    return bytes[start..<end]
  }

  /// Waits for more input; returns false at its end, where the last line may lack a newline.
  mutating func read() throws(Failure) -> Bool {
    if isAtEnd { return false }
    bytes.removeFirst(start)
    searched -= start
    start = 0
    var piece = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = unsafe readBytes(STDIN_FILENO, &piece, piece.count)
      if count > 0 {
        bytes += piece[..<count]
        return true
      }
      if count == 0 {
        isAtEnd = true
        if bytes.isEmpty { return false }
        bytes.append(Self.newline)
        return true
      }
      if errno != EINTR { throw Failure("Standard input cannot be read: \(SystemCall.reason).") }
    }
  }
}
