import PasswordRules
import TestSupport
import Testing

/// The refusals of strict reading, with their positions and suggestions.
struct StrictErrorTests {
  private struct Row: Decodable {
    let descriptor: String
    /// The bounds, in code points.
    let range: [Int]
    let replacement: String?
    let message: String
  }

  @Test func errorHasRangeAndReplacement() throws {
    for row in try Fixture.rows("strict-errors", as: Row.self) {
      let error = try #require(throws: PasswordRulesError.self, "\(row)") {
        try PasswordRuleSet(row.descriptor)
      }
      #expect(error.issue?.range == row.range[0]..<row.range[1], "\(row)")
      #expect(error.issue?.replacement == row.replacement, "\(row)")
      #expect(error.issue?.message.contains(row.message) == true, "\(row) \(error)")
      #expect(error.description.hasPrefix("At character \(row.range[0] + 1): "), "\(row)")
    }
  }

  @Test func longNameIsTruncated() throws {
    let error = try #require(throws: PasswordRulesError.self) {
      try PasswordRuleSet("required: \(String(repeating: "x", count: 1000))")
    }
    #expect(error.issue?.range == 10..<1010)
    #expect(error.description.contains("`\(String(repeating: "x", count: 39))…` is not a class"))
  }

  /// All Unicode spaces that the language does not have, in every position of a space.
  @Test(arguments: [
    0x0B, 0x85, 0xA0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007,
    0x2008, 0x2009, 0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF,
  ])
  func everyOtherSpaceIsAnError(value: UInt32) throws {
    let space = try #require(Unicode.Scalar(value))
    let pieces = ["minlength:", "8", ";required:", "upper", ",", "lower", ";"]
    for place in 0...pieces.count {
      let before = pieces[..<place].joined()
      let text = "\(before)\(space)\(pieces[place...].joined())"
      let error = try #require(throws: PasswordRulesError.self) { try PasswordRuleSet(text) }
      let position = before.unicodeScalars.count
      #expect(error.issue?.range == position..<(position + 1), "\(error)")
      #expect(error.issue?.replacement == "")
    }
  }

  @Test(arguments: [" ", "\t", "\n", "\r", "\u{C}", "\r\n"])
  func whitespaceOfTheLanguageIsSkipped(space: String) throws {
    let text =
      "\(space)required:\(space)upper\(space),\(space)lower\(space);\(space)minlength:\(space)8"
    #expect(try PasswordRuleSet(text) == [.required(.upper, .lower), .minLength(8)])
  }
}
