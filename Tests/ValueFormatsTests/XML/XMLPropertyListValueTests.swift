import FoundationEssentials
import Testing

@testable import ValueFormats

struct XMLPropertyListValueTests {
  private let format = XMLPropertyListFormat()

  private func decode(_ text: String) throws -> ValueTree {
    // A fragment is a slice of a file, with a non-zero start index.
    let file = Array("before".utf8) + text.utf8
    return try format.decode(file[6...])
  }

  @Test func valuesAreDecoded() throws {
    for row in try Fixture.rows("xml-values", as: [String].self) {
      #expect(try exact(decode(row[0])) == row[1], "\(row[0])")
    }
  }

  @Test(
    arguments: [
      (.null(depth: 0), "<string><![CDATA[$null]]></string>"),
      (.null(depth: 2), "<string><![CDATA[$null:2]]></string>"),
      (.string(""), "<string></string>"),
      (.string("<a>&\"'\t\r\n"), "<string>&lt;a&gt;&amp;\"'\t&#13;\n</string>"),
      (.string("$null"), "<string>$null</string>"),
      (.string("$base64:AAAA"), "<string>$base64:AAAA</string>"),
      (.string("a\u{0}"), "<string><![CDATA[$base64:YQA=]]></string>"),
      (.string("\u{FFFE}"), "<string><![CDATA[$base64:77++]]></string>"),
      (.string("\u{85}\u{7F}\u{2028}"), "<string>\u{85}\u{7F}\u{2028}</string>"),
      (.number(.integer(.max)), "<integer>170141183460469231731687303715884105727</integer>"),
      (.number(.integer(-1)), "<integer>-1</integer>"),
      (.number(.real(0.1)), "<real>0.1</real>"), (.number(.real(-0.0)), "<real>-0.0</real>"),
      (.number(.real(1e-5)), "<real>1e-05</real>"), (.number(.real(.nan)), "<real>nan</real>"),
      (.number(.real(.infinity)), "<real>+infinity</real>"),
      (.number(.float(-.infinity)), "<real>-infinity</real>"),
      (.number(.float(0.1)), "<real>0.1</real>"), (.number(.float(.nan)), "<real>nan</real>"),
      (.number(.text("1e3")), "<real>1e3</real>"),
      (.number(.text("-12")), "<integer>-12</integer>"),
      (.number(.text("+007")), "<integer>7</integer>"),
      (.number(.text("-0")), "<real>-0.0</real>"),
      (
        .number(.text("170141183460469231731687303715884105728")),
        "<integer>170141183460469231731687303715884105728</integer>"
      ),
      (.date(Date(timeIntervalSinceReferenceDate: -0.0)), "<date>2001-01-01T00:00:00Z</date>"),
      (.date(Date(timeIntervalSinceReferenceDate: -1)), "<date>2000-12-31T23:59:59Z</date>"),
      (.date(Date(timeIntervalSinceReferenceDate: 0.5)), "<real>0.5</real>"),
      (.date(Date(timeIntervalSince1970: 253_402_300_799)), "<date>9999-12-31T23:59:59Z</date>"),
      (.date(Date(timeIntervalSince1970: 253_402_300_800)), "<real>252423993600.0</real>"),
      (.date(Date(timeIntervalSince1970: -62_135_596_800)), "<date>0001-01-01T00:00:00Z</date>"),
      (.date(Date(timeIntervalSince1970: -62_135_596_801)), "<real>-63113904001.0</real>"),
      (.data(Data([1, 2, 3, 4])), "<data>AQIDBA==</data>"),
      (.bool(false), "<false/>"), (.array([]), "<array/>"), (.dictionary([:]), "<dict/>"),
      (
        .dictionary(["$null": .bool(true), "\r": .bool(false)]),
        """
        <dict>
        \t\t<key>&#13;</key>
        \t\t<false/>
        \t\t<key>$null</key>
        \t\t<true/>
        \t</dict>
        """
      ),
    ] as [(ValueTree, String)])
  func valueIsEncoded(_ tree: ValueTree, _ text: String) throws {
    #expect(String(decoding: try format.encode(tree), as: UTF8.self) == text)
  }

  /// The description of such a `Date` traps, so it cannot be a test's argument.
  @Test(arguments: [
    (.nan, "nan"), (-.infinity, "-infinity"), (1e300, "1e+300"), (-1e300, "-1e+300"),
    (0x1p63, "9.223372036854776e+18"), (-0x1p63, "-9.223372036854776e+18"),
  ])
  func dateOutOfRangeIsEncodedAsANumber(_ seconds: Double, _ text: String) throws {
    let encoded = try format.encode(.date(Date(timeIntervalSinceReferenceDate: seconds)))
    #expect(String(decoding: encoded, as: UTF8.self) == "<real>\(text)</real>")
  }

  @Test(arguments: [
    ("", "<key></key>"), ("a&b", "<key>a&amp;b</key>"), ("$null:1", "<key>$null:1</key>"),
    ("$base64:AAAA", "<key>$base64:AAAA</key>"), ("a\r", "<key>a&#13;</key>"),
    ("\u{1}", "<key><![CDATA[$base64:AQ==]]></key>"), ("e\u{301}", "<key>e\u{301}</key>"),
  ])
  func keyIsWrittenAndRead(_ key: String, _ text: String) throws {
    let entry = format.entry(StoredKey(key), ArraySlice("<true/>".utf8))
    #expect(String(decoding: Array(entry.text), as: UTF8.self) == text + "\n\t<true/>")
    #expect(Array(entry.value) == Array("<true/>".utf8))
    let parsed = try format.parse(format.join([entry], FileSurroundings()))
    #expect(parsed.entries.map(\.key) == [StoredKey(key)])
  }

  @Test func invalidFragmentIsRefused() throws {
    for refusal in try Refusal.all("fragment", in: "xml-refusals") {
      #expect(throws: refusal.error, "\(refusal.text)") { try decode(refusal.text) }
    }
  }

  @Test(arguments: ["integer", "real", "date", "data", "true"])
  func invalidTextDoesNotRefuseTheFile(_ element: String) throws {
    let value = "<\(element)>x</\(element)>"
    let file = "<plist><dict><key>a</key>\(value)<key>b</key><true/></dict></plist>"
    let parsed = try format.parse(Array(file.utf8))
    #expect(parsed.entries.map(\.key) == ["a", "b"])
    #expect(throws: FormatError.self) { try format.decode(parsed.entries[0].value) }
    let joined = format.join(parsed.entries, parsed.surroundings)
    #expect(String(decoding: joined, as: UTF8.self).contains(value))
  }
}
