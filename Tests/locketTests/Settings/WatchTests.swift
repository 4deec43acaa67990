import CLibrary
import FoundationEssentials
import TestSupport
import Testing

struct WatchTests {
  private let machine: Machine

  init() throws {
    machine = try Machine()
    _ = try machine.file("s.json", #"{"a": 1, "b": "x"}"#)
  }

  private func watch(_ name: String = "s.json") throws -> Watcher {
    let watcher = try Watcher(name, on: machine)
    try watcher.waitForBeginning()
    return watcher
  }

  /// Edits the file by a script of the shell.
  private func edit(_ script: String) throws {
    let ended = try machine.shell(script)
    guard ended.status == 0 else { throw Unexpected(what: "\(ended)") }
  }

  @Test(arguments: [
    "sed -i 's/1/2/' s.json", #"printf '{"a": 2, "b": "x"}' >s.json"#,
    #"printf '{"a": 2, "b": "x"}' >t; mv t s.json"#,
    #"printf '{"a": 2, "b": "x"}' >t; rm s.json; ln -s t s.json"#,
    #"printf '{"a": 2, "b": "x"}' >t; ln -sf t s.json"#,
    #"rm s.json; printf '{"a": 2, "b": "x"}' >s.json"#,
    #""$0" settings set a 2 --file s.json"#,
  ])
  func whoeverChangesASettingIsHeard(script: String) throws {
    let watcher = try watch()
    try edit(script)
    #expect(try watcher.nextLine() == "a\t2")
    try edit(#""$0" settings set b '[true]' --file s.json"#)
    #expect(try watcher.nextLine() == "b\t[true]")
  }

  @Test(.enabled(if: WithoutInotify.isPossible))
  func whatTheKernelDoesNotReportIsLookedFor() throws {
    let watcher = try Watcher("s.json", on: machine, wrap: WithoutInotify.words)
    #expect(try watcher.nextComplaint().contains("fs.inotify.max_user_instances"))
    try watcher.waitForBeginning()
    try edit("sed -i 's/1/2/' s.json")
    #expect(try watcher.nextLine() == "a\t2")
    try edit("rm s.json")
    #expect(try [watcher.nextLine(), watcher.nextLine()].sorted() == ["a", "b"])
  }

  @Test func anotherNotationOfTheSameValueIsNoChange() throws {
    _ = try machine.file("s.json", #"{"a": 1, "b": {"x": "é", "y": 1000}}"#)
    let watcher = try watch()
    try edit(#"printf '{"b":\n {"y": 1e3, "x": "\\u00e9"}, "a": 1.0}' >s.json"#)
    try edit(#"printf '{"b": {"y": 1e3, "x": "\\u00e9"}, "a": 2}' >s.json"#)
    #expect(try watcher.nextLine() == "a\t2")
    try edit(#"printf '{"b": {"y": 1001, "x": "é"}, "a": 2.0}' >s.json"#)
    #expect(try watcher.nextLine() == "b\t" + #"{"x": "é", "y": 1001}"#)
  }

  @Test func removedSettingsAreKeysAlone() throws {
    let watcher = try watch()
    try edit(#""$0" settings reset a --file s.json"#)
    #expect(try watcher.nextLine() == "a")
    try edit("rm s.json")
    #expect(try watcher.nextLine() == "b")
    try edit(#"printf '{"b": null}' >s.json"#)
    #expect(try watcher.nextLine() == "b\tnull")
  }

  @Test(arguments: ["new.json", "new/deep/new.json", "new.plist"])
  func aFileThatIsMadeLaterIsHeardOf(name: String) throws {
    let watcher = try watch(name)
    try edit(#""$0" settings set 'two words' '"text"' --file \#(name)"#)
    #expect(try watcher.nextLine() == "two words\t\"text\"")
    try edit("rm \(name)")
    #expect(try watcher.nextLine() == "two words")
    try edit(#""$0" settings set a 1 --file \#(name)"#)
    #expect(try watcher.nextLine() == "a\t1")
  }

  @Test func whatCannotBeReadIsSaidAndTheWatchingGoesOn() throws {
    let watcher = try watch()
    try edit(#"printf '{"a": 2,' >s.json"#)
    #expect(
      try watcher.nextComplaint().hasPrefix(
        "locket: \(machine.path("s.json")) cannot be read at line 1, column 9: "))
    try edit(#"printf '{"a": 3, "b": "x"}' >s.json"#)
    #expect(try watcher.nextLine() == "a\t3")
    try edit(": >s.json")
    #expect(try watcher.nextComplaint().contains("s.json is empty"))
    try edit(#"printf '{"a": 1e400, "b": "y"}' >s.json"#)
    #expect(
      try watcher.nextComplaint()
        == "locket: \(machine.path("s.json")), line 1, column 7: a is out of range for Double, "
        + "so it cannot be shown.")
    #expect(try watcher.nextLine() == "b\t\"y\"")
  }

  @Test func aFileThatIsBrokenFromTheBeginningMayBeMended() throws {
    _ = try machine.file("s.json", "{,")
    let watcher = try Watcher("s.json", on: machine)
    #expect(try watcher.nextComplaint().contains("cannot be read at line 1, column 2: "))
    try watcher.waitForBeginning()
    try edit(#"printf '{"a": 3}' >s.json"#)
    #expect(try watcher.nextLine() == "a\t3")
  }

  @Test func aDeepValueIsPrinted() throws {
    let watcher = try watch()
    let deep = String(repeating: "[", count: 511) + String(repeating: "]", count: 511)
    _ = try machine.file("s.json", "{\"a\": \(deep), \"b\": \"x\"}")
    #expect(try watcher.nextLine() == "a\t\(deep)")
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func aSignalEndsTheWatching(number: Int32) throws {
    let watcher = try watch()
    kill(watcher.process, number)
    #expect(try watcher.wait() == -number)
  }

  @Test func ctrlCEndsTheWatchingAndTheTerminalIsNotTouched() throws {
    let session = try PseudoTerminal(
      "settings", "watch", "--file", machine.path("s.json"), on: machine)
    try session.waitForText("Press Ctrl-C to stop.\r\n")
    #expect(session.echoes)
    try session.type(PseudoTerminal.interrupt)
    #expect(try session.end() == -SIGINT)
    #expect(session.echoes)
  }

  @Test func aReaderThatGoesAwayEndsTheWatchingAtTheNextChange() throws {
    let watcher = try watch()
    try edit("sed -i 's/1/2/' s.json")
    #expect(try watcher.nextLine() == "a\t2")
    watcher.stopReading()
    try edit("sed -i 's/2/3/' s.json")
    #expect(try watcher.wait() == -SIGPIPE)
  }

  @Test(arguments: [">/dev/full", ">&-"]) func anOutputThatTakesNothingGivesTwo(
    output: String
  ) throws {
    // The watcher waits for a change, which comes when it says that it is ready.
    let ended = try machine.shell(
      """
      mkfifo ready
      "$0" settings watch --file s.json \(output) 2>ready & watcher=$!
      { read line; "$0" settings set a 2 --file s.json; read line; } <ready
      echo "$line"; wait $watcher
      """)
    #expect(ended.status == 2)
    #expect(ended.output.hasPrefix("locket: The output cannot be written: "))
  }

  @Test func noFileTakesTheNumberOfAClosedOutput() throws {
    let ended = try machine.shell(
      """
      mkfifo ready
      "$0" settings watch --file s.json <&- >&- 2>ready & watcher=$!
      { read line; readlink /proc/$watcher/fd/0 /proc/$watcher/fd/1; kill $watcher; } <ready
      """)
    #expect(ended.output == "/dev/null\n/dev/null\n")
  }
}
