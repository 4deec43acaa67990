import FoundationEssentials
import ValueFormats

/// A field of the objects that a command prints with `--json`.
struct Field: Sendable {
  static let introduction = """
    With --json, each line is an object with these fields; one without a value is omitted:
    """

  let name: String
  let help: String

  init(_ name: String, _ help: String) {
    self.name = name
    self.help = help
  }
}

/// The fields of a line, in their order, of which those without a value are omitted.
typealias FieldValues = [(name: String, value: ValueTree?)]

extension Option {
  static let json = Option("json", nil, "print a JSON object on each line, with the fields below")
}

extension Arguments {
  /// Prints a line of a listing.
  func list(
    _ text: @autoclosure () -> String, _ fields: FieldValues
  ) throws(Failure) {
    try Output.line(line(text(), fields))
  }

  /// Returns a line of a listing: its text, or with `--json` an object of its fields.
  func line(_ text: @autoclosure () -> String, _ fields: FieldValues) -> String {
    guard has(.json) else { return text() }
    let members = fields.compactMap { field in
      field.value.map { "\(field.name.quotedForJSON): \(JSONValue.json($0))" }
    }
    return "{\(members.joined(separator: ", "))}"
  }
}

extension ValueTree {
  static func text(_ text: String?) -> ValueTree? { text.map(ValueTree.string) }

  static func integer(_ number: (some BinaryInteger)?) -> ValueTree? {
    number.map { .number(.integer(Int128($0))) }
  }

  /// The date in ISO 8601, which the years 1 to 9999 have.
  static func text(_ date: Date?) -> ValueTree? { text(date?.iso8601) }
}

/// What a migration or an import did with a secret or a setting.
struct ListedOutcome {
  let word: String
  var reason: String?

  var text: String { reason.map { "\(word) (\($0))" } ?? word }

  var fields: FieldValues {
    [("outcome", .string(word)), ("reason", .text(reason))]
  }
}

extension Field {
  static let outcome = [
    Field("outcome", "what was done, such as added, identical, kept, replaced or refused"),
    Field("reason", "why, or a remark"),
  ]
}
