import CLibrary
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

final class WatchTests: ToolTests {
  override init() throws {
    try super.init()
    _ = try machine.file("s.json", #"{"a": 1, "b": "x"}"#)
  }

  private func watch(_ name: String = "s.json") throws -> Watcher {
    let watcher = try Watcher(name, on: machine)
    try watcher.waitForBeginning()
    return watcher
  }

  /// Edits the file by a script of the shell.
  private func edit(_ script: String) throws { _ = try machine.shell(script).success }

  /// Replaces the file at once, so that no other content of it can be read meanwhile.
  private func replace(by text: String) throws {
    try FileSystem().rename(machine.file("new", text), to: machine.path("s.json"))
  }

  @Test(arguments: [
    "sed -i 's/1/2/' s.json", #"printf '{"a": 2, "b": "x"}' >s.json"#,
    #"printf '{"a": 2, "b": "x"}' >t; mv t s.json"#, #""$0" settings set a 2 --file s.json"#,
  ])
  func changeIsPrinted(script: String) throws {
    let watcher = try watch()
    try edit(script)
    #expect(try watcher.nextLine() == "a\t2")
    try edit(#""$0" settings set b '[true]' --file s.json"#)
    #expect(try watcher.nextLine() == "b\t[true]")
  }

  @Test(arguments: [
    #"printf '{"a": 2, "b": "x"}' >t; rm s.json; ln -s t s.json"#,
    #"printf '{"a": 2, "b": "x"}' >t; ln -sf t s.json"#,
    #"rm s.json; printf '{"a": 2, "b": "x"}' >s.json"#,
  ])
  func changeByRemovalIsPrinted(script: String) throws {
    let watcher = try watch()
    try edit(script)
    // The absence of the file may be printed before.
    while try watcher.nextLine() != "a\t2" {}
  }

  @Test(.enabled(if: WithoutInotify.isPossible, "The machine has no user namespaces."))
  func changeIsPrintedWithoutInotify() throws {
    let watcher = try Watcher("s.json", on: machine, wrap: WithoutInotify.words)
    #expect(try watcher.nextComplaint().contains("fs.inotify.max_user_instances"))
    try watcher.waitForBeginning()
    try edit("sed -i 's/1/2/' s.json")
    #expect(try watcher.nextLine() == "a\t2")
    try edit("rm s.json")
    #expect(try [watcher.nextLine(), watcher.nextLine()].sorted() == ["a", "b"])
  }

  @Test func removedSettingIsPrintedAsItsKey() throws {
    let watcher = try watch()
    try edit(#""$0" settings reset a --file s.json"#)
    #expect(try watcher.nextLine() == "a")
    try edit("rm s.json")
    #expect(try watcher.nextLine() == "b")
    try replace(by: #"{"b": null}"#)
    #expect(try watcher.nextLine() == "b\tnull")
  }

  @Test(arguments: ["new.json", "new/deep/new.json", "new.plist"])
  func newFileIsWatched(name: String) throws {
    let watcher = try watch(name)
    try edit(#""$0" settings set 'two words' '"text"' --file \#(name)"#)
    #expect(try watcher.nextLine() == "two words\t\"text\"")
    try edit("rm \(name)")
    #expect(try watcher.nextLine() == "two words")
    try edit(#""$0" settings set a 1 --file \#(name)"#)
    #expect(try watcher.nextLine() == "a\t1")
  }

  @Test func watchingContinuesAfterAnError() throws {
    try replace(by: "{,")
    let watcher = try Watcher("s.json", on: machine)
    #expect(try watcher.nextComplaint().contains("cannot be read at line 1, column 2: "))
    try watcher.waitForBeginning()
    try replace(by: #"{"a": 2}"#)
    #expect(try watcher.nextLine() == "a\t2")
    try replace(by: #"{"a": 2,"#)
    #expect(
      try watcher.nextComplaint().hasPrefix(
        "locket: \(machine.path("s.json")) cannot be read at line 1, column 9: "))
    try replace(by: #"{"a": 3}"#)
    #expect(try watcher.nextLine() == "a\t3")
    try replace(by: "")
    #expect(try watcher.nextComplaint().contains("s.json is empty"))
    try replace(by: #"{"a": 1e400, "b": "y"}"#)
    #expect(
      try watcher.nextComplaint()
        == """
        locket: The value of "a" at line 1, column 7 cannot be shown: the number is out of range \
        for Double.
        """)
    #expect(try watcher.nextLine() == "b\t\"y\"")
  }

  @Test func deepValueIsPrinted() throws {
    let watcher = try watch()
    let deep = String(repeating: "[", count: 511) + String(repeating: "]", count: 511)
    try replace(by: "{\"a\": \(deep), \"b\": \"x\"}")
    #expect(try watcher.nextLine() == "a\t\(deep)")
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func signalEndsTheWatching(number: Int32) throws {
    let watcher = try watch()
    watcher.process.signal(number)
    #expect(watcher.wait() == -number)
  }

  @Test func interruptLeavesTheTerminalAsItWas() throws {
    let session = try PseudoTerminal("settings watch --file", machine.path("s.json"), on: machine)
    try session.waitForText("Press Ctrl-C to stop.\r\n")
    #expect(session.echoes)
    try session.type(PseudoTerminal.interrupt)
    #expect(try session.end() == -SIGINT)
    #expect(session.echoes)
  }

  @Test func closedPipeEndsTheWatchingAtTheNextChange() throws {
    let watcher = try watch()
    try edit("sed -i 's/1/2/' s.json")
    #expect(try watcher.nextLine() == "a\t2")
    watcher.stopReading()
    // A process that another test starts has the reading end until it executes its program.
    var number = 3
    try wait {
      try replace(by: "{\"a\": \(number)}")
      number += 1
      return watcher.process.hasEnded
    }
    #expect(watcher.wait() == -SIGPIPE)
  }

  @Test(arguments: [">/dev/full", ">&-"])
  func outputThatCannotBeWrittenEndsTheWatching(output: String) throws {
    // The watcher waits for a change, which comes after its first message.
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

  @Test func closedStreamsAreReplacedByDevNull() throws {
    let ended = try machine.shell(
      """
      mkfifo ready
      "$0" settings watch --file s.json <&- >&- 2>ready & watcher=$!
      { read line; readlink /proc/$watcher/fd/0 /proc/$watcher/fd/1; kill $watcher; } <ready
      """)
    #expect(ended.output == "/dev/null\n/dev/null\n")
  }
}
