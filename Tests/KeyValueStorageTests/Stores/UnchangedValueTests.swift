import FoundationEssentials
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

  /// Only the type of a property knows that these are equal.
  @Test func equalValueOfTheTypeIsNotAnnounced() throws {
    try expectOneChange(
      of: Duration.seconds(90), in: ["\"90s\"", "90", "\"1m30s\"", nil, "90.0"], last: "91",
      .seconds(91))
    try expectOneChange(
      of: Date(timeIntervalSinceReferenceDate: 816_968_798),
      in: [
        nil, "816968798", "\"2026-11-21T15:46:38Z\"", "\"2026-11-21T16:46:38+01:00\"", "\"x\"",
        "\"2026-11-21T15:46:38.0Z\"",
      ], last: "816968799", Date(timeIntervalSinceReferenceDate: 816_968_799))
    try expectOneChange(
      of: 0.1, in: ["0.1000000000000000055", "0.1", nil, "1e-1"], last: "0.2", 0.2)
    try expectOneChange(of: [1, 2], in: [nil, "[1, 2]", "[ 1.0, 2 ]", nil], last: "[2]", [2])
  }

  /// Expects that a file's values of a key, nil for none, are equal to the default value of a
  /// property, and that the last one is a change.
  private func expectOneChange<Value: Codable & Sendable & Equatable>(
    of value: Value, in texts: [String?], last: String, _ changed: Value
  ) throws {
    let file = try TestFile()
    let store = file.openUnobserved()
    let property = StoredValue(wrappedValue: value, "value", in: store)
    let heard = Heard<Value>()
    func overwrite(_ text: String?) throws {
      try file.overwrite(text.map { "{\"value\": \($0)}" } ?? "{}")
      try? store.load()
    }
    try overwrite(texts[0])
    let observation = property.observe { heard.hear($1) }
    for text in texts.dropFirst() + [last] { try overwrite(text) }
    store.finishHandlers()
    #expect(heard.all == [changed])
    observation.cancel()
  }

  /// The trees of a large value would take far more memory than the value.
  @Test func otherBytesOfALargeValueAreAnnounced() throws {
    let file = try TestFile()
    let text = String(repeating: "x", count: KeyObservers.comparedSize)
    try file.overwrite("{\n\t\"large\": [\n\t\t\"\(text)\"\n\t]\n}")
    let store = file.openUnobserved()
    let large = StoredValue(wrappedValue: [""], "large", in: store)
    let (keys, values) = (Heard<String>(), Heard<Int>())
    let observations = [
      store.observe { keys.hear($0) }, large.observe { values.hear($1.count) },
    ]
    try file.overwrite("{\"large\": [ \"\(text)\" ]}")
    try store.load()
    store.finishHandlers()
    #expect(keys.all == ["large"] && values.all == [])
    // The app's value has another layout in the file, which is no further change.
    large.wrappedValue = [text, text]
    store.finishHandlers()
    #expect(keys.all == ["large", "large"] && values.all == [2])
    observations.forEach { $0.cancel() }
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
