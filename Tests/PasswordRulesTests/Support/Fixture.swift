import FoundationEssentials
import PasswordRules

/// The files in `Fixtures`.
enum Fixture {
  /// Returns the values of a file with one JSON value per line.
  static func lines<Row: Decodable>(of name: String) throws -> [Row] {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures/\(name)")
    return try Data(contentsOf: file).split(separator: UInt8(ascii: "\n"))
      .map { try JSONDecoder().decode(Row.self, from: $0) }
  }
}

extension PasswordRulesError {
  /// The syntax error; nil for other errors.
  var issue: DescriptorIssue? {
    if case .syntax(let issue) = self { issue } else { nil }
  }
}
