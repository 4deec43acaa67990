import FoundationEssentials
import KeyValueStorage
import TestSupport
import Testing

struct SettingsTests {
  private let machine: Machine

  init() throws {
    machine = try Machine()
  }

  @Test(arguments: [
    ("0.8", "0.8"), ("-1", "-1"), ("-0.5", "-0.5"), (" 7 ", "7"), ("true", "true"),
    ("null", "null"), ("1.0", "1"), ("1e3", "1000"), ("1e300", "1e+300"),
    ("12345678901234567890", "12345678901234567890"),
    ("-170141183460469231731687303715884105728", "-170141183460469231731687303715884105728"),
    ("0.1000000000000000000001", "0.1"), (#""text""#, #""text""#), (#""""#, #""""#),
    (#""\u0000\u001b[31m\u009b\u202e\uffff""#, ##""\u0000\u001b[31m\u009b\u202e\uffff""##),
    (#""\"\\\/\t\n\r""#, ##""\"\\/\t\n\u000d""##), (#""ünïcödé 🗝""#, #""ünïcödé 🗝""#),
    ("[1,[],{}]", "[1, [], {}]"),
    (#"{"b":[null],"a":{"ü":false}}"#, #"{"a": {"ü": false}, "b": [null]}"#),
  ])
  func whatWasSetIsPrintedInEachFormat(value: String, printed: String) throws {
    for file in ["s.json", "s.plist", try binaryPropertyList("b.plist", Kept(old: 1))] {
      let set = try machine.run("settings", "set", "key", value, "--file", machine.path(file))
      #expect(set.status == 0 && set.output == "" && set.errors == "", "\(set)")
      let get = try machine.run("settings", "get", "key", "--file", machine.path(file))
      #expect(get.status == 0 && get.output == "\(printed)\n", "\(get)")
    }
  }

  @Test(arguments: ["", "text", "'text'", "01", "+1", "NaN", "1 2", "80x", "true?", "a\nb\u{1}"])
  func whatIsNotJSONIsText(value: String) throws {
    try machine.set("key", to: value)
    let store = KeyValueStore(json: machine.settingsFile)
    @StoredValue("key", in: store) var text: String?
    #expect(text == value)
    // Other text takes its place, also that of null.
    try machine.set("key", to: "null")
    try machine.set("key", to: value + "?")
    try machine.set("key", to: value)
    try store.load()
    #expect(text == value)
  }

  @Test(arguments: [
    ("80", "a number"), ("true", "a Boolean"), ("[]", "an array"), ("{}", "a dictionary"),
  ])
  func textDoesNotReplaceAValueOfAnotherType(value: String, type: String) throws {
    try machine.set("key", to: value)
    let ended = try machine.run("settings", "set", "key", "hunter2")
    #expect(ended.status == 2)
    #expect(
      ended.errors == """
        locket: VALUE is not valid JSON, and the stored value is \(type). To store text instead, \
        enclose it in quotation marks: '"text"'.

        """)
    #expect(try machine.run("settings", "get", "key").output == "\(value)\n")
    try machine.set("key", to: #""hunter2""#)
    #expect(try machine.run("settings", "get", "key").output == "\"hunter2\"\n")
  }

  @Test(arguments: [
    "1e400", "[1,]", " {", "\"", "\"\u{1}\"", #"{"a":1,"a":2}"#, #""\ud800""#,
    String(repeating: "[", count: 60_000),
  ])
  func whatBeginsLikeJSONIsRefused(value: String) throws {
    let ended = try machine.run("settings", "set", "key", value)
    #expect(ended.status == 2)
    #expect(ended.errors.hasPrefix("locket: VALUE is not valid JSON: "))
    #expect(!FileManager.default.fileExists(atPath: machine.path(".config")))
  }

  @Test(arguments: [
    ("volume", "volume"), ("a key.with/all", "a key.with/all"), ("", #""""#), ("\"", #""\"""#),
    ("two\nlines\t", #""two\nlines\t""#), ("\u{1B}[31m", #""\u001b[31m""#), ("--file", "--file"),
    ("-h", "-h"), ("--", "--"), ("ключ", "ключ"), ("e\u{301}", "e\u{301}"),
  ])
  func anyTextIsAKey(key: String, listed: String) throws {
    try machine.set("another", to: "0")
    try machine.set(key, to: "1")
    #expect(try machine.run("settings", "get", "--", key).output == "1\n")
    #expect(try machine.run("settings", "list").output.contains("\(listed)\t1\n"))
    #expect(try machine.run("settings", "reset", "--", key).status == 0)
    #expect(try machine.run("settings", "list").output == "another\t0\n")
  }

  @Test func listShowsThePlaceOfEachValue() throws {
    _ = try machine.run("settings", "set", "volume", "0.5", "--file", machine.path("s.json"))
    let list = try machine.run("settings", "list", "--sources", "--file", machine.path("s.json"))
    #expect(list.output == "volume\t0.5\t\(machine.path("s.json"))\n")
  }

  @Test func anAppReadsWhatWasSet() throws {
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

  @Test func whatAnAppSetIsPrinted() throws {
    let store = KeyValueStore(json: machine.settingsFile)
    @StoredValue("volume", in: store) var volume = 0.8
    @StoredValue("absence", in: store) var absence: Int??
    @StoredValue("escaped", in: store) var escaped: String?
    volume = .infinity
    absence = .some(nil)
    escaped = "$null:1"
    #expect(
      try machine.run("settings", "list").output
        == "absence\tnull\nescaped\t\"$null:1\"\nvolume\t\"Infinity\"\n")
  }

  @Test(arguments: [PropertyListDecoder.PropertyListFormat.xml, .binary])
  func datesDataAndNaNInPropertyListsArePrinted(
    format: PropertyListDecoder.PropertyListFormat
  ) throws {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = format
    let values = Mixed(
      date: Date(timeIntervalSinceReferenceDate: 0), data: Data([0, 0xFF]), nan: .nan,
      list: [Data([1])])
    try encoder.encode(values).write(to: machine.home.appending(path: "m.plist"))
    #expect(
      try machine.run("settings", "list", "--file", machine.path("m.plist")).output == """
        data\t"AP8="
        date\t"2001-01-01T00:00:00Z"
        list\t["AQ=="]
        nan\t"NaN"

        """)
  }

  @Test func datesOfAllTimesArePrinted() throws {
    let file = machine.home.appending(path: "b.plist")
    let store = KeyValueStore(propertyList: file, format: .binary)
    for (key, seconds) in [
      ("0", -63_113_904_001.0), ("1", -63_113_904_000), ("1582", -13_190_860_801),
      ("2001", 0.25), ("far", 1e300),
    ] {
      try store.set(Date(timeIntervalSinceReferenceDate: seconds), for: key)
    }
    #expect(
      try machine.run("settings", "list", "--file", file.path).output == """
        0\t-63113904001.0
        1\t"0001-01-01T00:00:00Z"
        1582\t"1582-12-31T23:59:59Z"
        2001\t"2001-01-01T00:00:00.25Z"
        far\t1e+300

        """)
  }

  @Test func datesArePrintedWithAllTheirDigits() throws {
    let file = machine.home.appending(path: "b.plist")
    let store = KeyValueStore(propertyList: file, format: .binary)
    let seconds = [
      816_968_798.1234567, 816_968_798.1, 0.1, -0.75, -1.000001, 816_968_798.9999999,
      252_423_993_599.5, -13_190_860_799.99999, 1e-17, 0.5,
    ]
    for (number, seconds) in seconds.enumerated() {
      try store.set(Date(timeIntervalSinceReferenceDate: seconds), for: "\(number)")
    }
    let listed = try machine.run("settings", "list", "--file", file.path).output
    #expect(
      listed == """
        0\t"2026-11-21T15:46:38.1234567Z"
        1\t"2026-11-21T15:46:38.1Z"
        2\t"2001-01-01T00:00:00.1Z"
        3\t"2000-12-31T23:59:59.25Z"
        4\t"2000-12-31T23:59:58.999999Z"
        5\t"2026-11-21T15:46:38.9999999Z"
        6\t"9999-12-31T23:59:59.5Z"
        7\t"1583-01-01T00:00:00.00001Z"
        8\t"2001-01-01T00:00:00.00000000000000001Z"
        9\t"2001-01-01T00:00:00.5Z"

        """)
    // The text is the same date again.
    let json = try #require(listed.split(separator: "\n").first?.split(separator: "\t").last)
    _ = try machine.file("s.json", "{\"date\": \(json)}")
    let other = KeyValueStore(json: machine.home.appending(path: "s.json"))
    #expect(try other.value(of: "date") == Date(timeIntervalSinceReferenceDate: seconds[0]))
  }

  @Test func integersArePrintedDigitByDigit() throws {
    let long = "-12345678901234567890123456789012345678901234567890"
    let json = try machine.file("s.json", #"{"a": \#(long), "b": [\#(long)]}"#)
    #expect(
      try machine.run("settings", "list", "--file", json).output == "a\t\(long)\nb\t[\(long)]\n")
    let xml = try machine.file(
      "s.plist",
      "<plist version=\"1.0\"><dict><key>a</key><integer>\(long)</integer></dict></plist>")
    #expect(try machine.run("settings", "get", "a", "--file", xml).output == "\(long)\n")
    for file in [json, xml] {
      let set = try machine.run("settings", "set", "--file", file, "--", "c", long)
      #expect(set.status == 0, "\(set.errors)")
      #expect(try machine.run("settings", "get", "c", "--file", file).output == "\(long)\n")
    }
    let binary = machine.path(try binaryPropertyList("b.plist", Kept(old: 1)))
    let refused = try machine.run("settings", "set", "--file", binary, "--", "c", long)
    #expect(refused.status == 2 && refused.errors.contains("too large"))
  }

  @Test func keysOfEqualTextArePrintedBoth() throws {
    let value = "{\"e\u{301}\": 1, \"\u{e9}\": 2}"
    let path = try machine.file("s.json", "{\"a\": \(value), \"b\": 1}")
    let list = try machine.run("settings", "list", "--file", path)
    #expect(Array(list.output.utf8) == Array("a\t\(value)\nb\t1\n".utf8), "\(list)")
    #expect(try machine.run("settings", "set", "b", value, "--file", path).status == 0)
    let get = try machine.run("settings", "get", "b", "--file", path)
    #expect(Array(get.output.utf8) == Array("\(value)\n".utf8), "\(get)")
  }

  @Test func aBinaryPropertyListStaysOneAndANewOneIsText() throws {
    let binary = try binaryPropertyList("B.PLIST", Kept(old: 1))
    for name in [binary, "new.plist"] {
      #expect(
        try machine.run("settings", "set", "key", "1", "--file", machine.path(name)).status
          == 0)
    }
    #expect(try machine.text(binary).hasPrefix("bplist00"))
    #expect(
      try machine.run("settings", "list", "--file", machine.path(binary)).output
        == "key\t1\nold\t1\n")
    #expect(try machine.text("new.plist").hasPrefix("<?xml "))
  }

  @Test func aValueThatCannotBeShownHidesNoOther() throws {
    let path = try machine.file("s.json", #"{"a": 1e400, "b": {"x": 1, "x": 2}, "c": 3}"#)
    let list = try machine.run("settings", "list", "--file", path)
    #expect(list.status == 2)
    #expect(list.output == "c\t3\n")
    #expect(
      list.errors == """
        locket: \(path), line 1, column 7: a is out of range for Double, so it cannot be shown.
        locket: \(path), line 1, column 28: b cannot be read: duplicate key, so it cannot be shown.

        """)
    #expect(try machine.run("settings", "get", "a", "--file", path).status == 2)
    // What others wrote stays as they wrote it.
    #expect(try machine.run("settings", "reset", "c", "--file", path).status == 0)
    #expect(try machine.text("s.json").contains(#"1e400"#))
  }

  @Test func aLargeValueComesBack() throws {
    let large = "\"\(String(repeating: "x", count: 130_000))\""
    try machine.set("large", to: large)
    #expect(try machine.run("settings", "get", "large").output == large + "\n")
    let deep = String(repeating: "[", count: 511) + String(repeating: "]", count: 511)
    try machine.set("deep", to: deep)
    #expect(try machine.run("settings", "get", "deep").output == deep + "\n")
  }

  @Test(arguments: ["get", "reset"]) func whatIsAbsentGivesOne(command: String) throws {
    for file in [[], ["--file", machine.path("nowhere/s.json")]] {
      let ended = try machine.run(["settings", command, "absent"] + file, input: "")
      #expect(ended.status == 1)
      #expect(ended.output == "")
      #expect(ended.errors == "locket: There is no such setting.\n")
    }
    #expect(!FileManager.default.fileExists(atPath: machine.path(".config")))
    #expect(!FileManager.default.fileExists(atPath: machine.path("nowhere")))
  }

  @Test func setMakesTheDirectories() throws {
    let path = machine.path("new/deep/s.json")
    #expect(try machine.run("settings", "set", "a", "1", "--file", path).status == 0)
    #expect(try machine.text("new/deep/s.json") == "{\n  \"a\": 1\n}\n")
  }

  @Test func theConfigurationDirectoryIsThatOfTheEnvironment() throws {
    let variable = "XDG_CONFIG_HOME=\(machine.path("config"))"
    let set = try machine.run(
      [Machine.executable, "settings", "set", "a", "1"], input: "",
      environment: machine.environment + [variable])
    #expect(set.status == 0)
    #expect(try machine.text("config/locket/settings.json") == "{\n  \"a\": 1\n}\n")
    #expect(try machine.run("settings", "list").output == "")
  }

  /// Makes a file that another program wrote, and returns its name.
  private func binaryPropertyList(_ name: String, _ values: some Encodable) throws -> String {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    try encoder.encode(values).write(to: machine.home.appending(path: name))
    return name
  }
}

private struct Kept: Encodable {
  let old: Int
}

private struct Mixed: Encodable {
  let date: Date
  let data: Data
  let nan: Double
  let list: [Data]
}
