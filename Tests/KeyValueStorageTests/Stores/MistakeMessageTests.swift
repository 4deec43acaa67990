import TestSupport
import Testing

@testable import KeyValueStorage

/// The messages about mistakes in the values of a file.
struct MistakeMessageTests {
  private enum Level: String, Codable, CaseIterable, Sendable { case info, debug }

  private struct Server: Codable, Equatable, Sendable {
    var host: String
    var port: UInt16
  }

  private struct Percentage: Codable, Equatable, Sendable {
    var value = 50

    init() {}

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      value = try container.decode(Int.self)
      guard 0...100 ~= value else {
        throw DecodingError.dataCorruptedError(
          in: container, debugDescription: "It must be from 0 to 100\u{1B}.")
      }
    }
  }

  @Test func messageHasPlaceValueAndCases() throws {
    let file = try TestFile()
    try file.overwrite("{\n  \"level\": \"verbose\"\n}\n")
    let error = try #require(StoredValue(wrappedValue: Level.info, "level", in: file.open()).error)
    #expect(
      error.description == """
        \(file.path), line 2, column 12: level is "verbose", expected one of info, debug. Correct \
        the value, or set it again.
        """)
  }

  private func message<Value: Codable & Sendable>(
    of text: String, _ value: Value, _ format: KeyValueFormat = .json
  ) throws -> String {
    let file = try TestFile(format)
    try file.overwrite(text)
    let error = try #require(StoredValue(wrappedValue: value, "key", in: file.open()).error)
    let (start, end) = ("\(file.path), ", ". Correct the value, or set it again.")
    #expect(error.description.hasPrefix(start) && error.description.hasSuffix(end))
    return String(error.description.dropFirst(start.count).dropLast(end.count))
  }

  @Test func eachKindOfMistakeIsDescribed() throws {
    let servers = [Server(host: "a", port: 1)]
    let server = #"{"host": "a", "port": 1}"#
    for (text, expected) in [
      (
        "{\"key\": [\(server),\n  {\"host\": \"b\", \"port\": 70000}]}",
        """
        line 2, column 25: key[1].port is 70000: the number is out of range for UInt16, from 0 to \
        65535 (type Array<Server>)
        """
      ),
      (
        "{\"key\": [\(server), {\"port\": 7}]}",
        "line 1, column 36: key[1]: the key host is missing (type Array<Server>)"
      ),
      ("{\"key\": {\n\"port\": 7}}", "line 1, column 9: key is a dictionary, expected an array"),
      ("{\"key\": null}", "line 1, column 9: key is null, expected an array"),
      (
        "{\"key\": [{\"port\": 1,\n \"port\": 2}]}",
        """
        line 2, column 2: key[0].port: duplicate key, first at line 1, column 11 (type Array<Server>)
        """
      ),
    ] { #expect(try message(of: text, servers) == expected) }
    #expect(
      try message(of: "{\"key\": 101}", Percentage())
        == "line 1, column 9: key is 101: It must be from 0 to 100\u{FFFD} (type Percentage)")
    #expect(
      try message(of: "{\"key\": \"\\ud800\"}", "")
        == #"line 1, column 10: key is "\ud800": unpaired surrogate in an escape (type String)"#)
    #expect(
      try message(of: "{\"key\": [\"info\", 7]}", [Level.info])
        == "line 1, column 18: key[1] is 7, expected one of info, debug")
    let list = "<plist><dict>\n<key>key</key>\n  <array><true/></array></dict></plist>"
    #expect(
      try message(of: list, [1], .xml) == "line 3, column 10: key[0] is true, expected a number")
  }

  @Test func formatErrorWithinAValueNamesThePart() throws {
    #expect(
      try message(of: #"{"key": ["a", "\ud800"]}"#, [""]) == """
        line 1, column 16: key[1] is "\\ud800": unpaired surrogate in an escape (type Array<String>)
        """)
    let list = "<plist><dict><key>key</key><array><integer>1</integer>\n<integer>1.5</integer>"
    #expect(
      try message(of: "\(list)</array></dict></plist>", [1], .xml)
        == "line 2, column 1: key[1] is 1.5: invalid integer (type Array<Int>)")
  }

  @Test func otherFormatErrorOfAValueIsObserved() throws {
    let file = try TestFile()
    let store = file.openUnobserved()
    let list = StoredValue(wrappedValue: [""], "list", in: store)
    let errors = Heard<String>()
    let observation = list.observeErrors { error in
      if case .undecodable(let value)? = error { errors.hear(value.keyPath) }
    }
    for text in [#"["\ud800", "a"]"#, #"["a", "\ud800"]"#] {
      try file.overwrite("{\"list\": \(text)}")
      try store.load()
    }
    store.finishHandlers()
    #expect(errors.all == ["list[0]", "list[1]"])
    observation.cancel()
  }

  @Test func partUnderAnEquivalentKeyHasItsPlace() throws {
    #expect(
      try message(of: "{\"key\": {\"a\": 1,\n \"e\u{301}\": \"x\"}}", Accented())
        == "line 2, column 8: key.\u{e9} is \"x\", expected a number")
  }

  private struct Accented: Codable, Sendable {
    var number = 1
    enum CodingKeys: String, CodingKey { case number = "\u{e9}" }
  }

  @Test func longAndInvisibleTextIsShortened() throws {
    let text = String(repeating: "x", count: 100)
    let message = try message(of: "{\"key\": \"\\u001b\u{202E}\(text)\"}", 1)
    let shown = "\u{FFFD}\u{FFFD}" + text.prefix(38)
    #expect(message == "line 1, column 9: key is \"\(shown)…\", expected a number")
  }
}
