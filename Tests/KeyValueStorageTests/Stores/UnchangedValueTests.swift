import TestSupport
import Testing

@testable import KeyValueStorage

/// Other bytes that are the same value are announced to no observer.
struct UnchangedValueTests {
  private static let files: [(KeyValueFormat, [String])] = [
    (
      .json,
      [
        "{\"number\": 1, \"all\": {\"x\": [1.0, \"\u{e9}\", 0], \"y\": 120}}",
        "{\r\n\t\"all\":{\"y\":1.2e+2,\"x\":[ 1, \"\\u00e9\", -0.0e9 ]},\n\n\"number\" : 1.00 }",
        "{\"number\": 10e-1, \"all\": {\"x\": [100E-2, \"\u{e9}\", 0.0], \"y\": 120.0}}",
      ]
    ),
    (
      .xml,
      [
        """
        <plist><dict><key>number</key><integer>1</integer><key>all</key><dict>\
        <key>x</key><array><real>1.0</real><string>a</string></array></dict></dict></plist>
        """,
        """
        <plist><dict> <!-- x --> <key>all</key><dict> <key>x</key><array><integer>0x1</integer>
        <string><![CDATA[a]]></string></array></dict><key>number</key><real>1</real></dict></plist>
        """,
      ]
    ),
  ]

  @Test(arguments: files)
  func otherNotationIsNotAnnounced(_ format: KeyValueFormat, _ texts: [String]) throws {
    let file = try TestFile(format)
    try file.overwrite(texts[0])
    let store = file.openUnobserved()
    let number = file.number(in: store)
    let (keys, heard) = (Heard<String>(), HeardValues(of: number))
    let observation = store.observe { keys.hear($0) }
    for text in texts + texts {
      try file.overwrite(text)
      try store.load()
      #expect(number.wrappedValue == 1)
    }
    // The app's own notation of the same value.
    number.wrappedValue = 1
    store.finishHandlers()
    #expect(keys.all == [] && heard.all == [])
    number.wrappedValue = 2
    store.finishHandlers()
    #expect(keys.all == ["number"] && heard.all == [2])
    observation.cancel()
  }

  @Test func valueOfOtherTextOrOrderIsAnnounced() throws {
    let file = try TestFile()
    let store = file.openUnobserved()
    let heard = Heard<String>()
    let observation = store.observe { heard.hear($0) }
    let values = [
      "\"\u{e9}\"", "\"e\u{301}\"", "[1, 2]", "[2, 1]", "[1]", "1", "\"1\"", "true", "null",
      "{\"a\": null}", "{\"b\": null}", "{\"a\": null, \"b\": null}", "1e999", "1e1000",
      "0.1000000000000000055", "0.1",
    ]
    for (number, value) in values.enumerated() {
      try file.overwrite("{\"a\": \(value)}")
      try store.load()
      store.finishHandlers()
      #expect(heard.all.count == number + 1, "\(value)")
    }
    observation.cancel()
  }

  @Test func sameValueAfterAMistakeIsNotAnnounced() throws {
    let file = try TestFile()
    try file.overwrite("{\"number\": 2}")
    let store = file.openUnobserved()
    let heard = HeardValues(of: file.number(in: store))
    for text in ["{\"number\": \"x\"}", "{\"number\": 2.0}", "{\"number\": 3}"] {
      try file.overwrite(text)
      try store.load()
    }
    store.finishHandlers()
    #expect(heard.all == [3])
  }
}
