import FoundationEssentials
import KeyValueStorage
import TestSupport
import Testing

@testable import locket

struct SettingsTests {
  private let machine: Machine

  init() throws { machine = try Machine() }

  @Test(arguments: ["list", "get a", "reset a", "move-aside"])
  func missingFileIsNotFound(command: String) throws {
    let file = machine.path("nope.json")
    let ended = try machine.run("settings \(command) --file", file)
    #expect(ended.status == 1 && ended.output == "")
    #expect(ended.errors == "locket: \(file) does not exist.\n")
    #expect(!machine.exists("nope.json"))
  }

  @Test(arguments: [
    ("0.8", "0.8"), ("-1", "-1"), ("-0.5", "-0.5"), (" 7 ", "7"), ("true", "true"),
    ("null", "null"), ("1.0", "1"), ("1e3", "1000"), ("1e300", "1e+300"),
    ("12345678901234567890", "12345678901234567890"),
    ("-170141183460469231731687303715884105728", "-170141183460469231731687303715884105728"),
    ("0.1000000000000000000001", "0.1000000000000000000001"), (#""text""#, #""text""#),
    (#""""#, #""""#),
    (#""\u0000\u001b[31m\u009b\u202e\uffff""#, ##""\u0000\u001b[31m\u009b\u202e\uffff""##),
    (#""\"\\\/\t\n\r""#, ##""\"\\/\t\n\u000d""##), (#""ünïcödé 🗝""#, #""ünïcödé 🗝""#),
    ("[1,[],{}]", "[1, [], {}]"),
    (#"{"b":[null],"a":{"ü":false}}"#, #"{"a": {"ü": false}, "b": [null]}"#),
  ])
  func valueIsPrintedAsJSON(value: String, printed: String) throws {
    for store in [
      KeyValueStore(json: machine.home.appending(path: "s.json")),
      KeyValueStore(propertyList: machine.home.appending(path: "s.plist"), format: .xml),
      KeyValueStore(propertyList: machine.home.appending(path: "b.plist"), format: .binary),
    ] {
      try store.set(JSONValue(argument: value), for: "key")
      #expect(try store.value(of: "key", as: JSONValue.self)?.json == printed)
    }
  }

  @Test func argumentThatIsNotJSONIsAnError() throws {
    for value in [
      "", "text", "'text'", "1e400", "01", "+1", "NaN", "[1,]", "{", "1 2", "\"\u{1}\"",
      #"{"a":1,"a":2}"#, #""\ud800""#, String(repeating: "[", count: 60_000),
      #"{"hunter2":1,"hunter2":2}"#, "hunter2", "\"hunter2",
    ] {
      let error = #expect(throws: Failure.self) { try JSONValue(argument: value) }
      #expect(error?.reason.hasPrefix("VALUE is not valid JSON: ") == true)
      #expect(error?.reason.contains("hunter2") == false)
    }
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

  @Test(arguments: [PropertyListDecoder.PropertyListFormat.xml, .binary])
  func datesAndDataOfPropertyListsArePrinted(
    format: PropertyListDecoder.PropertyListFormat
  ) throws {
    let file = try propertyList("m.plist", Mixed(), format)
    #expect(
      try machine.output("settings list --file", file) == """
        data\t"AP8="
        date\t"2001-01-01T00:00:00Z"
        list\t["AQ=="]
        nan\t"NaN"

        """)
  }

  @Test func datesArePrintedExactly() throws {
    let file = machine.home.appending(path: "b.plist")
    let store = KeyValueStore(propertyList: file, format: .binary)
    let seconds = [
      816_968_798.1234567, 816_968_798.1, 0.1, -0.75, -1.000001, 816_968_798.9999999,
      252_423_993_599.5, -13_190_860_799.99999, 1e-17, -13_190_860_801, -13_190_860_800, 1e300,
    ]
    for (number, seconds) in seconds.enumerated() {
      try store.set(Date(timeIntervalSinceReferenceDate: seconds), for: "\(10 + number)")
    }
    let listed = try machine.output("settings list --file", file.path)
    #expect(
      listed == """
        10\t"2026-11-21T15:46:38.1234567Z"
        11\t"2026-11-21T15:46:38.100Z"
        12\t"2001-01-01T00:00:00.100Z"
        13\t"2000-12-31T23:59:59.250Z"
        14\t"2000-12-31T23:59:58.9999990000000001Z"
        15\t"2026-11-21T15:46:38.9999999Z"
        16\t"9999-12-31T23:59:59.500Z"
        17\t"1583-01-01T00:00:00.00001Z"
        18\t"2001-01-01T00:00:00.00000000000000001Z"
        19\t-13190860801.0
        20\t"1583-01-01T00:00:00Z"
        21\t1e+300

        """)
    // The text is the same date again.
    let json = try #require(listed.split(separator: "\n").first?.split(separator: "\t").last)
    _ = try machine.file("s.json", "{\"date\": \(json)}")
    let other = KeyValueStore(json: machine.home.appending(path: "s.json"))
    #expect(try other.value(of: "date") == Date(timeIntervalSinceReferenceDate: seconds[0]))
  }

  @Test func integersAreExact() throws {
    let long = "-12345678901234567890123456789012345678901234567890"
    let json = try machine.file("s.json", #"{"a": \#(long), "b": [\#(long)]}"#)
    #expect(try machine.output("settings list --file", json) == "a\t\(long)\nb\t[\(long)]\n")
    let xml = try machine.file(
      "s.plist",
      "<plist version=\"1.0\"><dict><key>a</key><integer>\(long)</integer></dict></plist>")
    #expect(try machine.output("settings get a --file", xml) == "\(long)\n")
    for file in [json, xml, try propertyList("b.plist", ["old": 1])] {
      try machine.output("settings set --file", file, "--", "c", long)
      #expect(try machine.output("settings get c --file", file) == "\(long)\n")
    }
  }

  @Test func keysOfEqualTextAreBothPrinted() throws {
    let value = "{\"e\u{301}\": 1, \"\u{e9}\": 2}"
    let path = try machine.file("s.json", "{\"a\": \(value), \"b\": 1}")
    let list = try machine.output("settings list --file", path)
    #expect(Array(list.utf8) == Array("a\t\(value)\nb\t1\n".utf8), "\(list)")
    try machine.output("settings set b", value, "--file", path)
    let get = try machine.output("settings get b --file", path)
    #expect(Array(get.utf8) == Array("\(value)\n".utf8), "\(get)")
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

  @Test func invalidValueHidesNoOther() throws {
    let path = try machine.file("s.json", #"{"a": 1e400, "b": {"x": 1, "x": 2}, "c": 3}"#)
    let list = try machine.run("settings list --file", path)
    #expect(list.status == 2)
    #expect(list.output == "c\t3\n")
    #expect(
      list.errors == """
        locket: The value of "a" cannot be shown: the number is out of range for Double.
        locket: The value of "b" cannot be shown: duplicate key.

        """)
    #expect(try machine.run("settings get a --file", path).status == 2)
    // What others wrote stays as they wrote it.
    try machine.output("settings reset c --file", path)
    #expect(try machine.text("s.json").contains(#"1e400"#))
  }

  @Test func largeValuesAreStored() throws {
    let deep = String(repeating: "[", count: 511) + String(repeating: "]", count: 511)
    for value in ["\"\(String(repeating: "x", count: 130_000))\"", deep] {
      try machine.set("value", to: value)
      #expect(try machine.output("settings get value") == value + "\n")
    }
  }

  @Test(arguments: ["get", "reset"]) func absentSettingGivesStatusOne(command: String) throws {
    for file in [[], ["--file", machine.path("nowhere/s.json")]] {
      let ended = try machine.run(["settings", command, "absent"] + file)
      #expect(ended.status == 1)
      #expect(ended.output == "")
      #expect(ended.errors == "locket: There is no such setting.\n")
    }
    #expect(!machine.exists(".config") && !machine.exists("nowhere"))
  }

  @Test func environmentNamesTheDirectory() throws {
    let set = try machine.run(
      [machine.executable, "settings", "set", "a", "1"],
      environment: machine.environment(with: ["XDG_CONFIG_HOME=\(machine.path("config"))"]))
    #expect(set.status == 0)
    #expect(try machine.text("config/locket/settings.json") == "{\n  \"a\": 1\n}\n")
    #expect(try machine.output("settings list") == "")
  }

  /// Makes a file that another program wrote, and returns its path.
  private func propertyList(
    _ name: String, _ values: some Encodable,
    _ format: PropertyListDecoder.PropertyListFormat = .binary
  ) throws -> String {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = format
    try encoder.encode(values).write(to: machine.home.appending(path: name))
    return machine.path(name)
  }

  private struct Mixed: Encodable {
    let date = Date(timeIntervalSinceReferenceDate: 0)
    let data = Data([0, 0xFF])
    let list = [Data([1])]
    let nan = Double.nan
  }
}
