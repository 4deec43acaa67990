import FoundationEssentials
import KeyValueStorage
import TestSupport
import Testing

@testable import locket

final class SettingsTests: ToolTests {
  @Test func valueIsPrintedAsJSON() throws {
    let stores = [
      KeyValueStore(json: machine.home.appending(path: "s.json")),
      KeyValueStore(propertyList: machine.home.appending(path: "s.plist"), format: .xml),
      KeyValueStore(propertyList: machine.home.appending(path: "b.plist"), format: .binary),
    ]
    for row in try Fixture.rows("json-values", as: [String].self) {
      for (number, store) in stores.enumerated() {
        #expect(throws: Never.self, "\(row) \(number)") {
          try store.set(JSONValue(argument: row[0]), for: "key")
          #expect(
            try store.value(of: "key", as: JSONValue.self)?.json == row[1], "\(row) \(number)")
        }
      }
    }
  }

  @Test func argumentThatIsNotJSONIsAnError() throws {
    for value in [
      "", "text", "'text'", "01", "+1", "NaN", "[1,]", "{", "1 2", "\"\u{1}\"",
      #"{"a":1,"a":2}"#, #""\ud800""#, String(repeating: "[", count: 60_000),
      #"{"hunter2":1,"hunter2":2}"#, "hunter2", "\"hunter2",
    ] {
      let error = #expect(throws: Failure.self) { try JSONValue(argument: value) }
      #expect(error?.reason.hasPrefix("VALUE is not valid JSON: ") == true)
      #expect(error?.reason.contains("hunter2") == false)
    }
    let large = #expect(throws: Failure.self) { try JSONValue(argument: "1e400") }
    #expect(large?.reason == "VALUE cannot be stored: the number is out of range for Double.")
    let ended = try machine.run("settings set key text")
    #expect(ended.status == 2)
    #expect(ended.errors.hasPrefix("locket: VALUE is not valid JSON: "))
    #expect(!machine.exists(".config"))
  }

  @Test func anyTextIsAKey() throws {
    let keys = [
      ("volume", "volume"), ("a key.with/all", "a key.with/all"), ("", #""""#), ("\"", #""\"""#),
      ("two\nlines\t", #""two\nlines\t""#), ("\u{1B}[31m", #""\u001b[31m""#), ("--file", "--file"),
      ("-h", "-h"), ("--", "--"), ("ключ", "ключ"), ("e\u{301}", "e\u{301}"),
    ]
    for (number, key) in keys.enumerated() { try machine.set(key.0, to: "\(number)") }
    let list = try machine.output("settings list")
    for (number, key) in keys.enumerated() {
      #expect(list.contains("\(key.1)\t\(number)\n"))
      #expect(try machine.output("settings get --", key.0) == "\(number)\n")
      try machine.output("settings reset --", key.0)
    }
    #expect(try machine.output("settings list") == "")
  }

  @Test func appReadsWhatTheToolSet() throws {
    try machine.set("volume", to: "0.5")
    try machine.set("count", to: "18446744073709551615")
    try machine.set("names", to: #"["Kiki", "Jiji"]"#)
    let store = KeyValueStore(json: machine.settingsFile)
    @StoredValue("volume", in: store) var volume = 0.8
    @StoredValue("count", in: store) var count: UInt64?
    @StoredValue("names", in: store) var names: [String]?
    #expect(volume == 0.5)
    #expect(count == .max)
    #expect(names == ["Kiki", "Jiji"])
  }

  @Test func toolPrintsWhatAnAppSet() throws {
    let store = KeyValueStore(json: machine.settingsFile)
    @StoredValue("volume", in: store) var volume = 0.8
    @StoredValue("absence", in: store) var absence: Int??
    @StoredValue("escaped", in: store) var escaped: String?
    volume = .infinity
    absence = .some(nil)
    escaped = "$null:1"
    #expect(
      try machine.output("settings list")
        == "absence\tnull\nescaped\t\"$null:1\"\nvolume\t\"Infinity\"\n")
  }

  @Test(arguments: [ListFormat.xml, .binary])
  func datesAndDataOfPropertyListsArePrinted(format: ListFormat) throws {
    _ = try propertyList("m.plist", Mixed(), format)
    try expectTranscript()
  }

  @Test func datesArePrintedExactly() throws {
    let file = machine.home.appending(path: "b.plist")
    let store = KeyValueStore(propertyList: file, format: .binary)
    let seconds = [
      816_968_798.1234567, 816_968_798.1, 0.1, -0.75, -1.000001, 816_968_798.9999999,
      252_423_993_599.5, -13_190_860_799.99999, 1e-17, -13_190_860_801, -13_190_860_800, 1e300,
      -63_113_904_001, -63_113_904_000, 252_423_993_600,
    ]
    for (number, seconds) in seconds.enumerated() {
      try store.set(Date(timeIntervalSinceReferenceDate: seconds), for: "\(10 + number)")
    }
    try expectTranscript()
    // The text is the same date again.
    _ = try machine.file("s.json", #"{"date": "2026-11-21T15:46:38.1234567Z"}"#)
    let other = KeyValueStore(json: machine.home.appending(path: "s.json"))
    #expect(try other.value(of: "date") == Date(timeIntervalSinceReferenceDate: seconds[0]))
  }

  @Test func longNumberIsRefusedInBinaryPropertyList() throws {
    let file = try propertyList("b.plist", ["old": 1])
    try expectTranscript()
    let store = KeyValueStore(propertyList: URL(filePath: file), format: .binary)
    let number = Decimal(string: "0.1000000000000000000001")
    #expect(try store.value(of: "c", as: Decimal.self) == number)
  }

  @Test func propertyListKeepsItsFormat() throws {
    let binary = try propertyList("B.PLIST", ["old": 1])
    for file in [binary, machine.path("new.plist")] {
      try machine.output("settings set key 1 --file", file)
    }
    #expect(try machine.text("B.PLIST").hasPrefix("bplist00"))
    #expect(try machine.output("settings list --file", binary) == "key\t1\nold\t1\n")
    #expect(try machine.text("new.plist").hasPrefix("<?xml "))
  }

  @Test func largeValuesAreStored() throws {
    let deep = String(repeating: "[", count: 511) + String(repeating: "]", count: 511)
    for value in ["\"\(String(repeating: "x", count: 130_000))\"", deep] {
      try machine.set("value", to: value)
      #expect(try machine.output("settings get value") == value + "\n")
    }
  }

  @Test func absentSettingGivesStatusOne() throws { try expectTranscript() }

  /// Makes a file that another program wrote, and returns its path.
  private func propertyList(
    _ name: String, _ values: some Encodable, _ format: ListFormat = .binary
  ) throws -> String {
    try encoded(values, format).write(to: machine.home.appending(path: name))
    return machine.path(name)
  }

  private struct Mixed: Encodable {
    let date = Date(timeIntervalSinceReferenceDate: 0)
    let data = Data([0, 0xFF])
    let list = [Data([1])]
    let nan = Double.nan
  }
}
