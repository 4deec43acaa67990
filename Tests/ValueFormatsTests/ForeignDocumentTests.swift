import FoundationEssentials
import TestSupport
import Testing
import ValueFormats

/// Documents by other programs, whose strings contain no escapes.
struct ForeignDocumentTests {
  private static let text = #"{"a": "$base64:YQ==", "$base64:YQ==": ["$null:1", "$null", null, 1]}"#

  private func tree(_ bytes: [UInt8]) throws -> ValueTree {
    try ForeignDocument.tree(bytes)
  }

  @Test func textIsNotUnescaped() throws {
    let json = try tree(Array(Self.text.utf8))
    let string = ValueTree.string("$base64:YQ==")
    let list: [ValueTree] = [.string("$null:1"), .string("$null"), .null(depth: 0)]
    let one = ValueTree.number(.text("1"))
    #expect(json == .dictionary(["a": string, "$base64:YQ==": .array(list + [one])]))

    let strings = ["a": ["$base64:YQ==", "$null:1", "$null"]]
    let encoder = PropertyListEncoder()
    for format in [.xml, .binary] as [PropertyListDecoder.PropertyListFormat] {
      encoder.outputFormat = format
      let elements: [ValueTree] = [string, .string("$null:1"), .string("$null")]
      #expect(
        try tree(Array(encoder.encode(strings))) == .dictionary(["a": .array(elements)]))
    }
  }

  /// Not even in the notation that a store reads as an escape.
  @Test func xmlHasNoEscapes() throws {
    let text = """
      <plist><dict><key><![CDATA[$base64:AA==]]></key><string><![CDATA[$null]]></string></dict></plist>
      """
    #expect(try tree(Array(text.utf8)) == .dictionary(["$base64:AA==": .string("$null")]))
  }

  @Test func propertyListHasAnyTopValue() throws {
    #expect(try tree(Array("<plist><true/></plist>".utf8)) == .bool(true))
    #expect(try tree(Array("<plist><array/></plist>".utf8)) == .array([]))
    #expect(throws: FormatError.self) { try tree(Array("<plist></plist>".utf8)) }
    #expect(throws: FormatError.self) { try tree(Array("<true/>".utf8)) }
  }

  @Test(arguments: ["", "text", "<plist>", "{", "bplist00", "[1,]", #"{"a": 1, "a": 2}"#])
  func invalidDocumentIsRefused(text: String) {
    #expect(throws: FormatError.self) { try tree(Array(text.utf8)) }
  }

  /// Returns arrays nested `levels` deep.
  private func nested(_ levels: Int) -> [UInt8] {
    BinaryPropertyListFile(
      objects: (1...levels).map { [0xA1] + BinaryPropertyListFile.number(UInt64($0), size: 4) }
        + [[0x09]], offsetSize: 4, referenceSize: 4
    ).bytes
  }

  @Test func deepListIsNotDecoded() throws {
    #expect(throws: FormatError.self) {
      try ForeignDocument.requireDecodable(propertyList: nested(100_000))
    }
    try ForeignDocument.requireDecodable(propertyList: nested(FormatLimits.depth - 1))
    #expect(throws: ValueCodingError.self) {
      try ValueCoder().decode([[Int]].self, from: nested(100_000))
    }
  }

  @Test(arguments: [0x0F, 0xB0, 0xC0] as [UInt8])
  func unusualObjectIsNotDecoded(marker: UInt8) {
    let list = BinaryPropertyListFile(
      objects: [[0xA1, 1], [marker, 0x61]], offsetSize: 1, referenceSize: 1)
    #expect(throws: FormatError.self) {
      try ForeignDocument.requireDecodable(propertyList: list.bytes)
    }
  }
}
