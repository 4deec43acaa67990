import FoundationEssentials
import PasswordRules
import Testing

/// The files in `Fixtures`.
enum Fixture {
  /// Returns the values of a file with one JSON value per line.
  static func lines<Row: Decodable>(of name: String) throws -> [Row] {
    let rows = try data(name).split(separator: UInt8(ascii: "\n"))
      .map { try JSONDecoder().decode(Row.self, from: $0) }
    return try #require(rows.isEmpty ? nil : rows, "\(name) is empty")
  }

  static func data(_ name: String) throws -> Data {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    return try Data(contentsOf: folder.appending(path: "Fixtures/\(name)"))
  }
}

extension PasswordRulesError {
  /// The syntax error; nil for other errors.
  var issue: DescriptorIssue? {
    if case .syntax(let issue) = self { issue } else { nil }
  }
}
