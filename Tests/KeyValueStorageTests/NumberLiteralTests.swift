import FoundationEssentials
import Testing

@testable import KeyValueStorage
@testable import ValueFormats

struct NumberLiteralTests {
  private static let long = "-123456789012345678901234567890123456789012345678901234567890"

  @Test(arguments: [
    "0", "-0", "7", "-12", "0.50", "1e400", "1E+2", long, "0.1000000000000000000000000000001",
  ])
  func spellingIsKept(spelling: String) throws {
    let literal = try #require(NumberLiteral(spelling))
    #expect(literal.description == spelling)
    for format in KeyValueFormat.allCases.map(\.coding) {
      let bytes = try #require(try format.encode([literal], key: "key"))
      let read = try format.value([NumberLiteral].self, from: bytes, key: "key")
      // Property lists have integers, which do not distinguish the two zeros.
      var expected = spelling == "-0" && !(format is JSONFormat) ? "-0.0" : spelling
      // The binary form has the value, and a spelling only if no number has all digits.
      if format is BinaryPropertyListFormat {
        if spelling == "0.50" { expected = "0.5" }
        if spelling == "1E+2" { expected = "100.0" }
      }
      #expect(read.map(\.description) == [expected])
    }
    let data = try JSONEncoder().encode([literal])
    #expect(try JSONDecoder().decode([NumberLiteral].self, from: data) == [literal])
  }

  @Test(arguments: ["", "+1", "01", ".5", "5.", "0x1F", "NaN", "1 ", "ten", "1e"])
  func otherTextIsNoLiteral(text: String) throws {
    #expect(NumberLiteral(text) == nil)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([NumberLiteral].self, from: JSONEncoder().encode([text]))
    }
  }

  @Test(arguments: [
    (
      "<integer>+0012345678901234567890123456789012345678901</integer>",
      "12345678901234567890123456789012345678901"
    ),
    ("<integer>0x1F</integer>", "31"), ("<integer>\(long)</integer>", long),
    ("<real>.5</real>", "0.5"), ("<real>-5.</real>", "-5"), ("<real>05.e3</real>", "5e3"),
    ("<real>000</real>", "0"), ("<real>+1.50</real>", "1.50"),
  ])
  func propertyListNumberHasJSONSpelling(element: String, spelling: String) throws {
    let read = try XMLPropertyListFormat().value(
      NumberLiteral.self, from: ArraySlice(element.utf8), key: "key")
    #expect(read.description == spelling)
  }

  @Test func nonNumbersAreRefused() {
    for element in ["<integer>0x\(Self.long.dropFirst())</integer>", "<real>nan</real>", "<true/>"]
    {
      #expect(throws: KeyValueStoreError.self) {
        try XMLPropertyListFormat().value(
          NumberLiteral.self, from: ArraySlice(element.utf8), key: "key")
      }
    }
  }

  @Test func literalsAndIntegersAreInterchangeable() throws {
    let store = KeyValueStore()
    try store.set(NumberLiteral(Int128.max), for: "literal")
    try store.set(UInt64.max, for: "integer")
    #expect(try store.value(of: "literal") == Int128.max)
    #expect(try store.value(of: "integer") == NumberLiteral(UInt64.max))
  }
}
