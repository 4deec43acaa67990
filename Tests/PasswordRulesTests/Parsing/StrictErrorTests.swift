import PasswordRules
import Testing

/// The refusals of strict reading, with their positions and suggestions.
struct StrictErrorTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let descriptor: String
    let range: Range<Int>
    let replacement: String?
    let message: String

    var testDescription: String { descriptor }

    init(_ descriptor: String, _ range: Range<Int>, _ replacement: String?, _ message: String) {
      (self.descriptor, self.range) = (descriptor, range)
      (self.replacement, self.message) = (replacement, message)
    }
  }

  @Test(arguments: [
    Vector("minlength: 8 ;", 12..<13, "", "space after the number"),
    Vector("minlength: 8 9", 12..<12, ";", "Expected `;` or the end after the number"),
    Vector("minlength: 8.5", 12..<12, ";", "Expected `;` or the end after the number"),
    Vector("minlength: -8", 11..<11, nil, "Expected a number"),
    Vector("minlength: x", 11..<11, nil, "Expected a number"),
    Vector(
      "minlength: 99999999999999999999999", 11..<34, "9223372036854775807",
      "The number is greater than"),
    Vector("minlength: 8;; maxlength: 12", 13..<14, "", "no rule before this `;`"),
    Vector(";", 0..<1, "", "no rule before this `;`"),
    Vector("required: upper,", 15..<16, "", "Expected a class after `,`"),
    Vector("required: upper, ;", 15..<16, "", "Expected a class after `,`"),
    Vector("required: upper,, lower", 16..<16, nil, "Expected a class"),
    Vector("required: upper lower", 16..<16, ",", "Expected `,`, `;` or the end after a class"),
    Vector("required: 1", 10..<10, nil, "Expected a class"),
    Vector("required : upper", 8..<9, "", "space before `:`"),
    Vector("required upper", 8..<8, ":", "Expected `:` after `required`"),
    Vector("required", 8..<8, ":", "Expected `:` after `required`"),
    Vector("Required: upper", 0..<8, "required", "`Required` is not a rule"),
    Vector("min-length: 8", 0..<10, "minlength", "`min-length` is not a rule"),
    Vector("dummy: upper", 0..<5, nil, "`dummy` is not a rule"),
    Vector("required: numbers", 10..<17, "digit", "`numbers` is not a class"),
    Vector("required: uppercase", 10..<19, "upper", "`uppercase` is not a class"),
    Vector("required: foo", 10..<13, nil, "`foo` is not a class"),
    Vector("allowed: [abc", 9..<10, nil, "has no closing"),
    Vector("allowed: [", 9..<10, nil, "has no closing"),
    Vector("allowed: [a]b]", 11..<12, nil, "`]` ends the class here"),
    Vector("allowed: []a]", 10..<11, nil, "`]` ends the class here"),
    Vector("allowed: [ab]]]", 14..<14, ",", "Expected `,`, `;` or the end after a class"),
    // Positions are counted in code points.
    Vector("allowed: [é👩]; minlength: x", 26..<26, nil, "Expected a number"),
    Vector("\u{0}minlength: 8", 0..<1, "", "U+0000 is not a valid space"),
    Vector("minlength: 8;\u{FFFD}", 13..<14, "", "U+FFFD is not a valid space"),
    Vector("minlength: 8\u{200B}", 12..<13, "", "U+200B is not a valid space"),
    Vector("{", 0..<0, nil, "Expected the name of a rule"),
  ])
  func errorHasRangeAndReplacement(_ vector: Vector) throws {
    let error = try #require(throws: DescriptorSyntaxError.self) {
      try PasswordRuleSet(vector.descriptor)
    }
    #expect(error.issue.range == vector.range)
    #expect(error.issue.replacement == vector.replacement)
    #expect(error.issue.message.contains(vector.message), "\(error)")
    #expect(error.description.hasPrefix("At character \(vector.range.lowerBound + 1): "))
  }

  @Test func longNameIsTruncated() throws {
    let error = try #require(throws: DescriptorSyntaxError.self) {
      try PasswordRuleSet("required: \(String(repeating: "x", count: 1000))")
    }
    #expect(error.issue.range == 10..<1010)
    #expect(error.description.contains("`\(String(repeating: "x", count: 39))…` is not a class"))
  }

  /// All Unicode spaces that the language does not have, in every position of a space.
  @Test(arguments: [
    0x0B, 0x85, 0xA0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007,
    0x2008,
    0x2009, 0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF,
  ])
  func everyOtherSpaceIsAnError(value: UInt32) throws {
    let space = try #require(Unicode.Scalar(value))
    let pieces = ["minlength:", "8", ";required:", "upper", ",", "lower", ";"]
    for place in 0...pieces.count {
      let before = pieces[..<place].joined()
      let text = "\(before)\(space)\(pieces[place...].joined())"
      let error = try #require(throws: DescriptorSyntaxError.self) { try PasswordRuleSet(text) }
      let position = before.unicodeScalars.count
      #expect(error.issue.range == position..<(position + 1), "\(error)")
      #expect(error.issue.replacement == "")
    }
  }

  @Test(arguments: [" ", "\t", "\n", "\r", "\u{C}", "\r\n"])
  func whitespaceOfTheLanguageIsSkipped(space: String) throws {
    let text =
      "\(space)required:\(space)upper\(space),\(space)lower\(space);\(space)minlength:\(space)8"
    #expect(try PasswordRuleSet(text) == [.required(.upper, .lower), .minLength(8)])
  }
}
