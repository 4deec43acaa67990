import FoundationEssentials
import TestSupport
import Testing

@testable import KeyValueStorage

/// Mistakes of people in the values of a file.
struct MistakeTests {
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

  private func level(in store: KeyValueStore) -> StoredValue<Level> {
    StoredValue(wrappedValue: .info, "level", in: store)
  }

  private func mistake(in file: TestFile, line: Int, column: Int) -> KeyValueStoreError {
    .undecodable(
      UndecodableValue(
        key: "level", type: "Level", reason: "expected one of info, debug", found: "\"verbose\"",
        place: file.place(line, column)))
  }

  private static let invalid = "{\n  \"level\": \"verbose\"\n}\n"

  @Test(arguments: EditedFileTests.Editor.allCases)
  func mistakeIsReportedWithoutAnAccess(_ editor: EditedFileTests.Editor) throws {
    let file = try TestFile()
    try file.overwrite("{\"level\": \"debug\"}")
    let store = file.openPatiently()
    let level = level(in: store)
    let (errors, levels) = (Heard<KeyValueStoreError?>(), Heard<[Level]>())
    let observations = [
      level.observeErrors { errors.hear($0) }, level.observe { levels.hear([$0, $1]) },
    ]
    let error = mistake(in: file, line: 2, column: 12)
    for round in 1...2 {
      try editor.write(Data(Self.invalid.utf8), to: file)
      errors.wait(for: error)
      #expect(ReportedFailures.count(of: error) == round)
      #expect(level.wrappedValue == .debug)
      #expect(level.error == error)
      try editor.write(Data("{\"level\":\n\"debug\"}".utf8), to: file)
      errors.wait(for: nil)
      #expect(level.wrappedValue == .debug && level.error == nil)
    }
    store.finishHandlers()
    #expect(levels.all == [])
    #expect(ReportedFailures.count(of: error) == 2)
    try editor.write(Data("{\"level\": \"info\"}".utf8), to: file)
    levels.wait(for: [.debug, .info])
    #expect(errors.all == [error, nil, error, nil])
    observations.forEach { $0.cancel() }
  }

  @Test func messageHasPlaceValueAndCases() throws {
    let file = try TestFile()
    try file.overwrite(Self.invalid)
    let error = try #require(level(in: file.open()).error)
    #expect(
      error.description == """
        \(file.path), line 2, column 12: level is "verbose", expected one of info, debug. Correct \
        the value, or set it again.
        """)
  }

  @Test func valueThatWasNeverValidIsTheDefault() throws {
    let file = try TestFile()
    try file.overwrite(Self.invalid)
    let store = file.openUnobserved()
    let level = level(in: store)
    let error = mistake(in: file, line: 2, column: 12)
    #expect(level.wrappedValue == .info)
    #expect(throws: KeyValueStoreError.self) { try level.load() }
    // A store with a hooked backend does not know the place.
    #expect(level.error != error)
    try file.overwrite("{\"level\": \"debug\"}")
    #expect(try level.load() == .debug)
    try file.overwrite(Self.invalid)
    #expect(throws: KeyValueStoreError.self) { try level.load() }
    #expect(level.wrappedValue == .debug)
    // A property that is created later shares the last valid value.
    #expect(self.level(in: store).wrappedValue == .debug)
    try file.overwrite("{}")
    #expect(try level.load() == .info)
    try file.overwrite(Self.invalid)
    #expect(throws: KeyValueStoreError.self) { try level.load() }
    #expect(level.wrappedValue == .info)
    #expect(StoredValue(wrappedValue: .debug, "level", in: store).wrappedValue == Level.debug)
  }

  @Test func observerDuringAMistakeReceivesChangesOnly() throws {
    let file = try TestFile()
    try file.overwrite("{\"level\": \"debug\"}")
    let store = file.openUnobserved()
    let level = level(in: store)
    #expect(try level.load() == .debug)
    try file.overwrite(Self.invalid)
    #expect(throws: KeyValueStoreError.self) { try level.load() }
    let levels = Heard<[Level]>()
    let observation = level.observe { levels.hear([$0, $1]) }
    for text in ["debug", "verbose", "info"] {
      try file.overwrite("{\"level\": \"\(text)\"}")
      try store.load()
    }
    store.finishHandlers()
    #expect(levels.all == [[.debug, .info]])
    observation.cancel()
  }

  @Test func inPlaceChangeOfAMistakeIsRefused() throws {
    let file = try TestFile()
    try file.overwrite("{\"list\": [1]}")
    let list = StoredValue(wrappedValue: [0], "list", in: file.open())
    #expect(list.wrappedValue == [1])
    try file.overwrite("{\"list\": [1, \"2\"]}")
    #expect(throws: KeyValueStoreError.self) { try list.load() }
    list.wrappedValue.append(3)
    #expect(list.wrappedValue == [1])
    #expect(try file.text == "{\"list\": [1, \"2\"]}")
    let error = UndecodableValue(
      key: "list", type: "Array<Int>", reason: "expected a number", keyPath: "list[1]",
      found: "\"2\"", place: file.place(1, 14))
    #expect(list.error == .undecodable(error))
    try file.overwrite("{\"list\": [1, 2]}")
    #expect(try list.load() == [1, 2])
    #expect(list.error == nil)
    list.wrappedValue.append(3)
    #expect(list.wrappedValue == [1, 2, 3])
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
        line 2, column 2: key: duplicate key, first at line 1, column 11 (type Array<Server>)
        """
      ),
    ] { #expect(try message(of: text, servers) == expected) }
    #expect(
      try message(of: "{\"key\": 101}", Percentage())
        == "line 1, column 9: key is 101: It must be from 0 to 100\u{FFFD} (type Percentage)")
    #expect(
      try message(of: "{\"key\": \"\\ud800\"}", "")
        == "line 1, column 10: key: unpaired surrogate in an escape (type String)")
    #expect(
      try message(of: "{\"key\": [\"info\", 7]}", [Level.info])
        == "line 1, column 18: key[1] is 7, expected one of info, debug")
    let list = "<plist><dict>\n<key>key</key>\n  <array><true/></array></dict></plist>"
    #expect(
      try message(of: list, [1], .xml) == "line 3, column 10: key[0] is true, expected a number")
  }

  /// A list of an integer and a string.
  private struct MixedList: Encodable {
    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      try container.encode(1)
      try container.encode("x")
    }
  }

  @Test(arguments: KeyValueFormat.allCases)
  func valueOfAKeyHasThePlaceOfItsMistake(_ format: KeyValueFormat) throws {
    let file = try TestFile(format)
    switch format {
    case .json: try file.overwrite("{\"key\": [1,\n \"x\"]}")
    case .xml:
      try file.overwrite(
        """
        <plist><dict><key>key</key><array><integer>1</integer>
         <string>x</string></array></dict></plist>
        """)
    case .binary: try file.open().set(MixedList(), for: "key")
    }
    let store = file.open()
    func mistake() throws -> UndecodableValue {
      let error = try #require(throws: KeyValueStoreError.self) {
        try store.value(of: "key", as: [Int].self)
      }
      guard case .undecodable(let value) = error else { throw error }
      return value
    }
    let position = format == .binary ? nil : 2
    let expected = UndecodableValue(
      key: "key", type: "Array<Int>", reason: "expected a number", keyPath: "key[1]",
      found: "\"x\"", place: file.place(position, position))
    for _ in 0..<200 { #expect(try mistake() == expected) }
    #expect(try store.transaction { try mistake() } == expected)
  }

  @Test func mistakeIsReportedByAWriteOfAnotherKey() throws {
    let file = try TestFile()
    let store = file.openUnobserved()
    let (level, number) = (level(in: store), file.number(in: store))
    number.wrappedValue = 1
    let errors = Heard<KeyValueStoreError?>()
    let observation = level.observeErrors { errors.hear($0) }
    try file.overwrite(Self.invalid)
    number.wrappedValue = 2
    errors.wait(
      for: .undecodable(
        UndecodableValue(
          key: "level", type: "Level", reason: "expected one of info, debug",
          found: "\"verbose\"")))
    observation.cancel()
  }

  @Test func observerOfAMistakeReportsIt() throws {
    let file = try TestFile()
    try file.overwrite(Self.invalid)
    let store = file.open()
    try store.load()
    let observation = level(in: store).observe { _, _ in }
    #expect(ReportedFailures.count(of: mistake(in: file, line: 2, column: 12)) == 1)
    observation.cancel()
  }

  @Test func longAndInvisibleTextIsShortened() throws {
    let text = String(repeating: "x", count: 100)
    let message = try message(of: "{\"key\": \"\\u001b\u{202E}\(text)\"}", 1)
    let shown = "\u{FFFD}\u{FFFD}" + text.prefix(38)
    #expect(message == "line 1, column 9: key is \"\(shown)…\", expected a number")
  }

  @Test func unreadableFileIsObserved() throws {
    let file = try TestFile()
    try file.overwrite("{\"level\": \"debug\"}")
    let store = file.open()
    let level = level(in: store)
    let errors = Heard<Bool>()
    let observation = level.observeErrors { error in
      if case .unreadable? = error { errors.hear(true) } else { errors.hear(false) }
    }
    for _ in 1...2 {
      try file.overwrite("{\"level\": \"debug\",}")
      errors.wait(for: true)
      #expect(level.wrappedValue == .debug)
      try file.overwrite("{\"level\": \"debug\"}")
      errors.wait(for: false)
    }
    #expect(errors.all == [true, false, true, false])
    observation.cancel()
  }

  @Test func mistakeInARepairedFileFollowsItsError() throws {
    let file = try TestFile()
    try file.overwrite("{\"level\": \"debug\"}")
    let store = file.openUnobserved()
    let level = level(in: store)
    let errors = Heard<String>()
    let observation = level.observeErrors { error in
      switch error {
      case .unreadable: errors.hear("file")
      case .undecodable: errors.hear("value")
      default: errors.hear("other")
      }
    }
    try file.overwrite("{")
    #expect(throws: KeyValueStoreError.self) { try store.load() }
    try file.overwrite(Self.invalid)
    try store.load()
    store.finishHandlers()
    #expect(errors.all == ["file", "value"])
    observation.cancel()
  }

  @Test func mistakeInMemoryIsObserved() throws {
    let number = StoredValue(wrappedValue: 0.5 as Double?, "number", in: KeyValueStore())
    let errors = Heard<KeyValueStoreError?>()
    let observation = number.observeErrors { errors.hear($0) }
    try number.store.set("text", for: "number")
    let error = KeyValueStoreError.undecodable(
      UndecodableValue(
        key: "number", type: "Optional<Double>", reason: "expected a number", found: "\"text\""))
    errors.wait(for: error)
    number.wrappedValue = 1
    errors.wait(for: nil)
    observation.cancel()
    try number.store.set("text", for: "number")
    number.store.finishHandlers()
    #expect(errors.all == [error, nil])
  }
}
