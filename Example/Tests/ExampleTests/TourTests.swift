import FoundationEssentials
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

struct TourTests {
  // One run is enough for all tests that only look at it.
  private static let shared = Result {
    let machine = try Machine()
    return (tour: try machine.run("tour"), leftovers: try leftovers(on: machine))
  }

  private let tour: Ended
  private let leftovers: [String]

  init() throws {
    (tour, leftovers) = try Self.shared.get()
  }

  private static func leftovers(on machine: Machine) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: machine.temporary.path)
      + [".local", ".config"].filter {
        FileManager.default.fileExists(atPath: machine.path($0))
      }
  }

  @Test func theTourRunsToItsEndAndComplainsOfNothing() throws {
    #expect(tour.status == 0)
    #expect(tour.errors == "")
    #expect(tour.output.contains("\nThat was the tour. "))
    // Without an argument, it is the same.
    let bare = try Machine().run()
    #expect(bare.status == 0 && bare.output.hasPrefix("Locket in 16 chapters, "))
  }

  @Test func theTourLeavesNothingBehind() {
    #expect(leftovers == [])
  }

  @Test func theTourShowsTheSettingsAsTheFileHasThem() throws {
    #expect(
      tour.output.contains(
        """
             | {
             |   "nickname": "Nausicaä",
             |   "volume": 0.5
             | }

        """))
    // What was read last stays, when the file is broken.
    let lines = tour.output.split(separator: "\n")
    let index = try #require(lines.firstIndex { $0.hasSuffix("try $volume.load()") })
    #expect(lines[index + 2...index + 3] == ["   volume", "     → 0.25"])
  }

  @Test func aTourWithoutAReaderLeavesNothingBehind() throws {
    let machine = try Machine()
    let process = try StartedProcess.spawn(
      [Machine.executable], environment: machine.environment,
      files: [("/dev/null", O_RDONLY), ("/dev/full", O_WRONLY), ("/dev/null", O_WRONLY)])
    #expect(try StartedProcess.wait(for: process) == 1)
    for output in [">&-", ">&- 2>&-", "<&- >&- 2>&-"] {
      let ended = try machine.run(
        ["/bin/sh", "-c", "\"$0\" \(output)", Machine.executable], input: "",
        environment: machine.environment)
      #expect(ended.status == 1, "\(output)")
    }
    let closed = try StartedProcess.spawn(
      ["/bin/sh", "-c", "\"$0\" | true", Machine.executable], environment: machine.environment,
      files: [("/dev/null", O_RDONLY), ("/dev/null", O_WRONLY), ("/dev/null", O_WRONLY)])
    #expect(try StartedProcess.wait(for: closed) == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: machine.temporary.path) == [])
  }

  @Test(arguments: 1...16) func everyChapterRunsAlone(number: Int) throws {
    let machine = try Machine()
    let ended = try machine.run("tour", "\(number)")
    #expect(ended.status == 0 && ended.errors == "", "\(ended.errors)")
    #expect(ended.output.hasPrefix("\(number). "))
    #expect(tour.output.contains("\n\n" + ended.output.prefix { $0 != "\n" }))
    #expect(try Self.leftovers(on: machine) == [])
  }

  @Test(arguments: [
    ["tour", "0"], ["tour", "17"], ["tour", "x"], ["tour", "1", "2"], ["unknown"], ["tour", "--x"],
    ["daemon", "now"], ["daemon", "--settings"],
  ])
  func wrongArgumentsAreAnsweredWithTheUsage(arguments: [String]) throws {
    let ended = try Machine().run(arguments, input: "")
    #expect(ended.status == 2 && ended.output == "")
    #expect(ended.errors.contains("\n\nUsage: Example [tour [CHAPTER]]\n"))
    let help = try Machine().run("--help")
    #expect(help.status == 0)
    #expect(help.output.split(separator: "\n", omittingEmptySubsequences: false).count <= 10)
  }

  @Test func onATerminalTheTourPausesAndQEndsIt() throws {
    let machine = try Machine()
    let session = try DisplayedSession(
      [Machine.executable], on: machine, variables: ["TERM=xterm-256color"])
    try session.waitForText("1 of 16. Enter continues, q quits: ")
    // The first page fits a screen of 24 lines.
    #expect(session.screen.split(separator: "\r\n", omittingEmptySubsequences: false).count <= 24)
    #expect(session.screen.contains("\u{1B}[1m1. @Serialized"))
    try session.type("\n")
    try session.waitForText("2 of 16. Enter continues, q quits: ")
    #expect(session.screen.contains("2. @StoredValue"))
    try session.type("q\n")
    #expect(try session.end() == 0)
    #expect(!session.screen.contains("3. @GenericPassword"))
    #expect(try Self.leftovers(on: machine) == [])
  }

  @Test(arguments: [PseudoTerminal.endOfInput, PseudoTerminal.interrupt])
  func endingTheTourAtAPauseLeavesNothingBehind(key: String) throws {
    let machine = try Machine()
    let session = try DisplayedSession([Machine.executable], on: machine)
    try session.waitForText("q quits: ")
    try session.type(key)
    let status = try session.end()
    // The cancelled question may end the tour before the signal does.
    #expect(status == 0 || key == PseudoTerminal.interrupt && status == -SIGINT)
    #expect(session.isGivenBack)
    #expect(try Self.leftovers(on: machine) == [])
  }

  @Test(arguments: [
    (["TERM=xterm"], true), (["TERM=xterm", "NO_COLOR=1"], false), (["TERM=dumb"], false),
    (["TERM=xterm", "NO_COLOR="], true),
  ])
  func coloursCanBeDeclined(variables: [String], isColored: Bool) throws {
    let machine = try Machine()
    let session = try DisplayedSession(
      [Machine.executable, "tour", "1"], on: machine, variables: variables)
    #expect(try session.end() == 0)
    #expect(session.screen.contains("\u{1B}[32m→ 100000\u{1B}[0m") == isColored)
    #expect(session.screen.contains("\u{1B}") == isColored)
  }

  @Test func linesAreWrappedToTheWidthOfTheTerminal() throws {
    let machine = try Machine()
    for number in 1...16 {
      let session = try DisplayedSession([Machine.executable, "tour", "\(number)"], on: machine)
      #expect(try session.end() == 0)
      let lines = session.screen.split(separator: "\r\n").filter { !$0.hasPrefix("     | ") }
      for line in lines { #expect(line.count <= 80, "\(line)") }
    }
  }

  @Test(arguments: [
    ("from 8 threads at once", "100000"),
    ("var volume = 0.8", "0.8"),
    ("$volume.observe { old, new in … }", "0.5 became 0.25"),
    ("try $volume.load()", "throws: …/settings.json cannot be read at line 1, column 18: "),
    ("try store.moveAsideUnreadableFile()", "…/settings.json.unreadable-"),
    ("volume   // the default, because the file is new", "0.8"),
    (#"declB   // a part that it leaves out matches anything"#, #""The Valley Wind""#),
    (#"again: declB = "The Valley Wind"; declA"#, "nil"),
    (#"declB   // the oldest"#, #""The Sixth Station""#),
    ("try $declC.remove(); declB", #""The Valley Wind""#),
    ("the second process reads its token", #""written by the first process""#),
    ("noticed the other process's write", #""written by the second process""#),
    ("$diary.status", "locked"), ("// kept, not lost", "true"),
    (#"try vault.unlock(with: .passphrase("tortoro"))"#, "throws: The passphrase is wrong."),
    ("try $diary.save(); diary", #""Tuesday""#),
    ("try $note.load()", "throws: The vault is sealed for another device."),
    (
      "try $key.load()   // without asking, nothing is read",
      "throws: The item may not be read now"
    ),
    (
      #"try await $key.load(authorizedBy: …(applicationPassword: "laputa"))"#,
      #""the key of everything""#
    ),
    ("try $pairing.load()", "throws: The item is sealed for another device."),
    (#"try await other.unlock(with: .recoveryCode(code)); diary"#, #""Monday""#),
    ("try vault.removeSlot(/* the last one */)", "throws: Slot 2, "),
    ("return .proceed }; progress.completed", "300"),
    ("secret 300 of 300, under the new keys", #""secret 300""#),
    (#"try vault.export(to: file, passphrase: "ponyo").exported.count"#, "3"),
    ("isDryRun: true).items(.conflict).count", "1"),
    ("secrets 1 and 2", #""another one, secret 2""#),
    ("try $two.load()", "throws: The vault is damaged at bytes "),
    ("try vault.salvageableItems()", #"["one", "three"]"#),
    ("try vault.verify().isSound", "true"),
    ("try $balance.load()", "throws: …/rolled back/secrets.vault ends at record "),
    ("// if the copy was put back on purpose", "100"),
    ("// for HTML and for other programs", #""required: upper; required: digit; "#),
    (
      #"try PasswordRuleSet("required: number;")"#,
      "throws: At character 11: `number` is not a class;"
    ),
    (#"rules.check("Tapqof").shortestCompletion"#, "6"),
    ("rules.isSatisfied(by: password)", "true"),
    ("the relation", "stricter"), ("a password that only the others accept", #""0""#),
    ("$0.text(in: .german) }", #"["Noch 1 Zeichen"]"#),
    (#"password = "sosuke55"; $password.isValid"#, "true"),
    ("repetition = password; form.isValid", "true"),
    (#"password = "sosuke56"; form.isValid"#, "false"),
  ])
  func theTourShowsWhatItSays(code: String, outcome: String) throws {
    let lines = tour.output.split(separator: "\n")
    let index = try #require(lines.firstIndex { $0.hasSuffix(code) })
    #expect(lines[index + 1].hasPrefix("     → \(outcome)"))
  }
}
