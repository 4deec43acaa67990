import FoundationEssentials
import TestSupport
import Testing

/// Settings of several files and of the environment, as the command line shows them.
struct SettingsLayersTests {
  private let machine: Machine
  private let user: String
  private let system: String

  init() throws {
    machine = try Machine()
    user = try machine.file(
      "u.json",
      #"{"server": {"host": "a", "ports": [1], "tls": {"on": true}}, "volume": 0.5, "off": null}"#)
    system = try machine.file(
      "s.json",
      """
      {"server": {"port": 80, "ports": [2, 3], "tls": {"on": false, "ca": "x"}},
      "off": {"a": 1}, "name": "low"}
      """)
  }

  private func run(_ words: [String], _ variables: [String] = []) throws -> Ended {
    try machine.run(
      [Machine.executable] + words, input: "", environment: machine.environment + variables)
  }

  /// Runs a command with both files and a prefix.
  private func runLayered(_ words: [String], _ variables: [String] = []) throws -> Ended {
    try run(
      words + ["--file", user, "--file", system, "--environment", "NOTES_"], variables)
  }

  @Test func dictionariesOfFilesAreMergedMemberByMember() throws {
    let list = try run(["settings", "list", "--file", user, "--file", system])
    #expect(list.errors == "")
    #expect(
      list.output == """
        name\t"low"
        off\tnull
        server\t{"host": "a", "port": 80, "ports": [1], "tls": {"ca": "x", "on": true}}
        volume\t0.5

        """)
    let reversed = try run(["settings", "get", "server", "--file", system, "--file", user])
    #expect(
      reversed.output == """
        {"host": "a", "port": 80, "ports": [2, 3], "tls": {"ca": "x", "on": false}}

        """)
  }

  @Test func listShowsThePlaceOfEachValueAndTheOtherVariables() throws {
    let variables = [
      "NOTES_SERVER__PORT=8443", "NOTES_VOLUME=on", "NOTES_PROT=tajny", "NOTES_SERVER__PROT=1",
      "NOTES_\u{1B}[31m=1", "OTHER_NAME=1",
    ]
    let list = try runLayered(["settings", "list", "--sources"], variables)
    #expect(list.status == 0 && list.errors == "")
    #expect(
      list.output == """
        name\t"low"\t\(system)
        off\tnull\t\(user)
        server\t{"host": "a", "port": 8443, "ports": [1], "tls": {"ca": "x", "on": true}}\t\
        NOTES_SERVER__PORT in the environment
        volume\t"on"\tNOTES_VOLUME in the environment
        \t\tNOTES_\u{FFFD}[31m in the environment sets no setting of the files
        \t\tNOTES_PROT in the environment sets no setting of the files
        \t\tNOTES_SERVER__PROT in the environment sets no setting of the files

        """)
    #expect(try !runLayered(["settings", "list"], variables).output.contains("PROT"))
  }

  @Test(arguments: [
    ("8443", "8443"), ("1.50", "1.5"), ("true", "true"), ("on", #""on""#), ("007", #""007""#),
    ("", #""""#), (" ", #"" ""#), (#""x""#, #""x""#), ("[1,{}]", "[1, {}]"), ("null", "null"),
    ("{x", #""{x""#), (#"{"a":1,"a":2}"#, ##""{\"a\":1,\"a\":2}""##), ("\u{1B}", #""\u001b""#),
  ])
  func textOfAVariableIsJSONOrElseAString(text: String, shown: String) throws {
    for key in ["volume", "known.only-here"] {
      let name = key == "volume" ? "NOTES_VOLUME" : "NOTES_KNOWN_ONLY_HERE"
      let get = try runLayered(["settings", "get", key], ["\(name)=\(text)"])
      #expect(get.status == 0 && get.output == "\(shown)\n", "\(get)")
    }
  }

  @Test func variableOfAMemberIsAboveThatOfTheStructure() throws {
    let variables = [#"NOTES_SERVER={"port": 1, "host": "b", "tls": {"on": 2}}"#]
    let get = try runLayered(
      ["settings", "get", "server"],
      variables + ["NOTES_SERVER__TLS__CA=y", "NOTES_SERVER__PORT=2"])
    #expect(
      get.output == """
        {"host": "b", "port": 2, "ports": [1], "tls": {"ca": "y", "on": 2}}

        """)
  }

  @Test func environmentIsAboveTheOwnSettings() throws {
    try machine.set("volume", to: "0.5")
    let words = ["settings", "list", "--sources", "--environment", "LOCKET_"]
    #expect(try run(words).output == "volume\t0.5\t\(machine.settingsFile.path)\n")
    #expect(
      try run(words, ["LOCKET_VOLUME=1"]).output
        == "volume\t1\tLOCKET_VOLUME in the environment\n")
  }

  @Test func invalidValueIsToldWithItsLayer() throws {
    let words = ["settings", "list", "--file", user, "--file", system]
    _ = try machine.file("s.json", #"{"server": {"port": 1e400}, "name": "low"}"#)
    let file = try run(words)
    #expect(file.status == 2)
    #expect(file.output == "name\t\"low\"\noff\tnull\nvolume\t0.5\n")
    #expect(
      file.errors == """
        locket: \(system), line 1, column 21: server.port is out of range for Double, so it cannot \
        be shown.

        """)
    let variable = try run(
      words + ["--environment", "NOTES_"], ["NOTES_SERVER__PORT=1", "NOTES_VOLUME=1e400"])
    #expect(variable.status == 2 && variable.output.contains("server\t"))
    #expect(
      variable.errors.hasPrefix("locket: NOTES_VOLUME in the environment: volume is invalid: "))
    #expect(!variable.errors.contains("1e400"))
  }

  @Test func keysOfOneVariableAreAMistake() throws {
    _ = try machine.file("u.json", #"{"a.b": 1, "a_b": 2}"#)
    let reason = "have the same name, NOTES_A_B in the environment. Rename one of them.\n"
    let list = try runLayered(["settings", "list"])
    #expect(list.status == 2 && list.errors.hasSuffix(reason), "\(list)")
    let doctor = try runLayered(["doctor"])
    #expect(doctor.status == 2 && doctor.output.contains(reason), "\(doctor)")
  }

  @Test(arguments: ["u.json", "s.json"]) func damagedLayerIsNamed(name: String) throws {
    _ = try machine.file(name, "{")
    let advice = "`locket settings move-aside --file \(machine.path(name))`.\n"
    for words in [["settings", "list"], ["settings", "get", "volume"]] {
      let ended = try runLayered(words)
      #expect(ended.status == 2 && ended.output == "")
      #expect(ended.errors.hasPrefix("locket: \(machine.path(name)) cannot be read at line 1, "))
      #expect(ended.errors.hasSuffix(advice))
    }
    let doctor = try runLayered(["doctor"])
    #expect(doctor.status == 2)
    #expect(doctor.output.contains("\n! Settings  \(machine.path(name)) cannot be read at line 1"))
    let other = name == "u.json" ? "  Settings  \(system) (3 s" : "  Settings  \(user) (3 s"
    #expect(doctor.output.contains(other))
  }

  @Test func missingFilesAreEmptyAndNothingIsWritten() throws {
    let missing = ["--file", machine.path("new/a.json"), "--file", machine.path("b.plist")]
    let before = try [machine.text("u.json"), machine.text("s.json")]
    for words in [["settings", "list", "--sources"], ["doctor"]] {
      let ended = try run(words + missing + ["--file", user, "--environment", "NOTES_"])
      #expect(ended.status == 0 && ended.output.contains(user), "\(ended)")
    }
    let get = try run(["settings", "get", "volume"] + missing)
    #expect(get.status == 1 && get.errors == "locket: There is no such setting.\n")
    #expect(try [machine.text("u.json"), machine.text("s.json")] == before)
    let names = try FileManager.default.contentsOfDirectory(atPath: machine.home.path)
    let streams = [".in", ".out", ".err"]
    let left = names.filter { name in !streams.contains { name.hasSuffix($0) } }
    #expect(left.sorted() == ["s.json", "u.json"])
  }

  @Test func doctorShowsFilesAndPlacesWithoutValues() throws {
    _ = try machine.file("u.json", ##"{"\u001b[31m": 1, "volume": 0.5, "x": 1}"##)
    _ = try machine.file("s.json", ##"{"\u001b[32m": 1, "name": "clandestine"}"##)
    let ended = try runLayered(["doctor"], ["NOTES_VOLUME=0.7", "NOTES_PROT=tajny"])
    #expect(ended.status == 0)
    #expect(
      ended.output.hasSuffix(
        """

          Settings  \(user) (3 settings)
          Settings  \(system) (2 settings)
            "\\u001b[32m"  \(system)
            name  \(system)
            volume  NOTES_VOLUME in the environment
            NOTES_PROT in the environment sets no setting of the files

        """), "\(ended.output)")
    for word in ["0.7", "tajny", "clandestine"] { #expect(!ended.output.contains(word)) }
  }

  @Test func commandsThatWriteAcceptASingleFile() throws {
    let before = try machine.text("u.json")
    for words in [["set", "a", "1"], ["reset", "volume"], ["move-aside"]] {
      let ended = try run(["settings"] + words + ["--file", user, "--file", system])
      #expect(ended.status == 2)
      let reason = "locket: This command writes a single file, so --file can be given only once.\n"
      #expect(ended.errors.hasPrefix(reason))
    }
    #expect(try machine.text("u.json") == before)
  }

  @Test func deepAndManyLayersAreBounded() throws {
    let open = String(repeating: #"{"a":"#, count: 510)
    let close = String(repeating: "}", count: 510)
    for (name, value) in [("u.json", "1"), ("s.json", "{}")] {
      _ = try machine.file(name, #"{"key": \#(open)\#(value)\#(close)}"#)
    }
    let get = try runLayered(["settings", "get", "key"])
    #expect(get.status == 0 && get.output.contains(#"{"a": 1}"#))
    let files = repeatElement(["--file", user], count: 101).joined()
    let many = try run(["settings", "list"] + files)
    #expect(many.status == 2)
    #expect(many.errors.hasPrefix("locket: --file can be given at most 100 times.\n"))
  }

  @Test func watchPrintsTheMergedValue() throws {
    let system = system
    let watcher = try Watcher("u.json", on: machine, wrap: { $0 + ["--file", system] })
    try watcher.waitForBeginning()
    _ = try machine.file("s.json", #"{"server": {"port": 81}, "off": {"a": 1}, "name": "low"}"#)
    #expect(
      try watcher.nextLine()
        == "server\t" + #"{"host": "a", "port": 81, "ports": [1], "tls": {"on": true}}"#)
  }
}
