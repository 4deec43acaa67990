import FoundationEssentials
import TestSupport
import Testing

@testable import KeyValueStorage
@testable import ValueFormats

/// Edits that change the notation of values, but no value.
struct NotationTests {
  /// A file, the same values in another notation, and the same with other values of `b` and `end`.
  private static let edits: [(KeyValueFormat, String, String, String)] = [
    (
      .json,
      #"{"a": 1, "b": {"x": "é/", "y": [1000, 0.5]}, "c": 1e-2, "end": 0}"#,
      #"{ "c": 0.010, "b": {"y": [1e3, 5E-1],\#n "x": "\u00e9\/"}, "end": 0, "a": 1.0 }"#,
      #"{"a": 1, "b": {"x": "é/", "y": [1001, 0.5]}, "c": 1e-2, "end": 1}"#
    ),
    (
      .xmlPropertyList,
      xml("<integer>16</integer>", "é/", "<integer>3</integer>", "<integer>0</integer>"),
      xml("<integer>0x10</integer>", "&#xe9;/", " <real>3.0</real>", "<integer>0</integer>"),
      xml("<integer>16</integer>", "é/", "<real>3.5</real>", "<integer>1</integer>")
    ),
  ]

  private static func xml(_ a: String, _ x: String, _ y: String, _ end: String) -> String {
    """
    <plist version="1.0"><dict><key>a</key>\(a)<key>b</key><dict><key>x</key>
    <string>\(x)</string><key>y</key>\(y)</dict><key>end</key>\(end)</dict></plist>
    """
  }

  private struct Value: Codable, Sendable {
    var x: String
  }

  @Test(arguments: edits)
  func areNoChanges(
    _ format: KeyValueFormat, _ text: String, _ same: String, _ different: String
  ) throws {
    let file = try TestFile(format)
    try file.overwrite(text)
    let store = file.open()
    let (a, b, end, keys) = (Heard<Int>(), Heard<String>(), Heard<Int>(), Heard<String>())
    let observations = [
      StoredValue(wrappedValue: 0, "a", in: store).observe { a.hear($1) },
      StoredValue(wrappedValue: Value(x: ""), "b", in: store).observe { b.hear($1.x) },
      StoredValue(wrappedValue: 0, "end", in: store).observe { end.hear($1) },
      store.observe { keys.hear($0) },
    ]
    try file.overwrite(same)
    try store.load()
    try file.overwrite(different)
    try store.load()
    // The changes of one edit have no order. The type of `b` does not have the changed member.
    try wait { keys.all.count == 2 && end.all.count == 1 }
    #expect(a.all == [] && b.all == [] && end.all == [1])
    #expect(keys.all.sorted() == ["b", "end"])
    observations.forEach { $0.cancel() }
  }

  private struct Server: Codable, Sendable {
    var host = ""
    var port = 8443
  }

  @Test func onlyTheTypeKnowsThatTheseAreNoChanges() throws {
    let file = try TestFile(.json)
    func write(_ date: String, _ server: String, _ end: Int) throws {
      try file.overwrite(#"{"date": \#(date), "server": \#(server), "end": \#(end)}"#)
    }
    try write(#""2026-11-24T12:00:00Z""#, #"{"host": "x"}"#, 0)
    let store = file.open()
    let (dates, ports, ends) = (Heard<Date>(), Heard<Int>(), Heard<Int>())
    let observations = [
      StoredValue(wrappedValue: Date(), "date", in: store).observe { dates.hear($1) },
      StoredValue(wrappedValue: Server(), "server", in: store).observe { ports.hear($1.port) },
      StoredValue(wrappedValue: 0, "end", in: store).observe { ends.hear($1) },
    ]
    let edits = [
      (#""2026-11-24T13:00:00+01:00""#, #"{"host": "x", "port": 8443}"#),
      ("817214400", #"{"host": "x"}"#),
      (#""2026-11-24T12:00:01Z""#, #"{"host": "x", "port": 1}"#),
    ]
    for (index, (date, server)) in edits.enumerated() {
      try write(date, server, index + 1)
      try store.load()
    }
    try wait { dates.all.count == 1 && ports.all.count == 1 && ends.all.count == 3 }
    #expect(ports.all == [1] && ends.all == [1, 2, 3])
    #expect(dates.all == [Date(timeIntervalSinceReferenceDate: 817_214_401)])
    observations.forEach { $0.cancel() }
  }

  @Test func theOrderOfASetIsNoChange() throws {
    let file = try TestFile(.json)
    try file.overwrite(#"{"names": ["a", "b", "c"], "end": 0}"#)
    let store = file.open()
    let (sets, ends) = (Heard<Set<String>>(), Heard<Int>())
    let observations = [
      StoredValue(wrappedValue: Set<String>(), "names", in: store).observe { sets.hear($1) },
      StoredValue(wrappedValue: 0, "end", in: store).observe { ends.hear($1) },
    ]
    try file.overwrite(#"{"names": ["c", "a", "b"], "end": 1}"#)
    try store.load()
    try file.overwrite(#"{"names": ["c", "b"], "end": 2}"#)
    try store.load()
    try wait { ends.all.count == 2 && sets.all.count == 1 }
    #expect(sets.all == [["b", "c"]])
    observations.forEach { $0.cancel() }
  }

  @Test func binaryNumbersOfOneValueAreEqual() throws {
    let format = KeyValueFormat.binaryPropertyList.coding
    func encoded(_ value: some Encodable) throws -> EncodedValue {
      ArraySlice(try format.bytes(of: value, key: "key"))
    }
    #expect(try format.isSameValue(encoded([1, 0.5 as Double]), encoded([1, 0.5 as Float])))
    #expect(try format.isSameValue(encoded(3), encoded(3.0)))
    #expect(try !format.isSameValue(encoded(0.1 as Double), encoded(0.1 as Float)))
    #expect(try !format.isSameValue(encoded(3), encoded(true)))
    #expect(try !format.isSameValue(encoded(3), nil))
    #expect(format.isSameValue(nil, nil))
  }

  @Test(arguments: [
    ("1", "1.0", true), ("1e3", "1000", true), ("1E+3", "1000.00", true), ("0.001", "1e-3", true),
    ("-0", "0.0", true), ("-1", "1", false), ("10", "1", false), ("0e999", "0", true),
    ("1e400", "10e399", true), ("1e400", "1e401", false), ("1", "true", false),
    ("1e9223372036854775807", "1e9223372036854775807", true),
    ("1e9223372036854775807", "10e9223372036854775806", false),
    ("12345678901234567890123456789", "12345678901234567890123456790", false),
    ("\"a\"", "\"\\u0061\"", true), ("\"\u{e9}\"", "\"e\u{301}\"", false),
    ("[1, 2]", "[1,2.0]", true), ("[1, 2]", "[2, 1]", false), ("[]", "{}", false),
    (#"{"a": 1, "b": 2}"#, #"{"b": 2, "a": 1}"#, true), (#"{"a": 1}"#, #"{"a": 1, "b": 2}"#, false),
    ("null", "\"$null:1\"", false),
  ])
  func sameness(_ first: String, _ second: String, _ isSame: Bool) {
    let format = KeyValueFormat.json.coding
    let (first, second) = (ArraySlice(first.utf8), ArraySlice(second.utf8))
    #expect(format.isSameValue(first, second) == isSame)
    #expect(format.isSameValue(second, first) == isSame)
  }
}
