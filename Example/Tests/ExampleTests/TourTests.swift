import Foundation
import Testing

struct TourTests {
  // One run is enough for all tests that only look at it.
  private static let shared = Result {
    let machine = try Machine()
    return (tour: try machine.run("tour"), leftovers: try leftovers(on: machine))
  }

  private let tour: Ended
  private let leftovers: [String]
  private let machine: Machine

  init() throws {
    (tour, leftovers) = try Self.shared.get()
    machine = try Machine()
  }

  private static func leftovers(on machine: Machine) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: machine.temporary.path)
      + [".local", ".config"].filter(machine.exists)
  }

  @Test func tourEndsWithoutAnError() throws {
    #expect(tour.status == 0)
    #expect(tour.errors == "")
    #expect(tour.output.contains("\nThat was the tour. "))
    // Without an argument, it is the same.
    let bare = try machine.run()
    #expect(bare.status == 0 && bare.output.hasPrefix("Locket in 16 chapters, "))
  }

  /// As `swift run --package-path Example tour 3` runs an executable of the package `Programs`.
  @Test func executableRunsTheProgramOfItsName() throws {
    let tour = try machine.shell("ln -s \"$0\" tour; ./tour 3")
    #expect(tour.status == 0 && tour.errors == "" && !tour.output.contains("Locket in 16"))
    for (name, option) in [("daemon", "--settings"), ("signup", "--site")] {
      let ended = try machine.shell("ln -s \"$0\" \(name); ./\(name) \(option)")
      #expect(ended.status == 2 && ended.errors.hasPrefix("Example: \(option) needs a value."))
    }
  }

  @Test func tourLeavesNoFiles() { #expect(leftovers == []) }

  @Test func tourShowsTheSettingsFile() throws {
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

  /// Code is compiled because the tour's sources contain it, also beside the text that is shown.
  @Test func shownCodeIsCompiled() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sources/Example/Tour")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let shown = /show(Failure)?\(\s*(#".*?"#|"([^"\\]|\\.)*")/
    let sources = try files.map { file in
      Self.withoutBlanks(
        try String(contentsOf: folder.appending(path: file), encoding: .utf8)
          .replacing(shown, with: "("))
    }
    let lines = tour.output.split(separator: "\n").filter { line in
      line.hasPrefix("   ") && !line.hasPrefix("    ") && !line.hasPrefix("   //")
    }
    #expect(lines.count > 70)
    for line in lines {
      let code = line.split(separator: "   // ", omittingEmptySubsequences: true)[0]
      for statement in code.split(separator: "; ") {
        let words = Self.withoutBlanks(String(statement))
        #expect(sources.contains { $0.contains(words) }, "\(statement)")
      }
    }
  }

  private static func withoutBlanks(_ code: String) -> String {
    code.filter { !$0.isWhitespace }.replacing(",]", with: "]").replacing(",)", with: ")")
  }

  @Test func tourWithoutAReaderLeavesNoFiles() throws {
    for output in [">/dev/full", ">&-", ">&- 2>&-", "<&- >&- 2>&-"] {
      #expect(try machine.shell("\"$0\" \(output)").status == 1, "\(output)")
    }
    #expect(try machine.shell("\"$0\" | true").status == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: machine.temporary.path) == [])
  }

  @Test(arguments: 1...16) func everyChapterRunsAloneIn80Columns(number: Int) throws {
    let session = try DisplayedSession("tour \(number)", on: machine)
    #expect(try session.end() == 0)
    let lines = session.screen.split(separator: "\r\n")
    #expect(lines[0].hasPrefix("\(number). "))
    #expect(tour.output.contains("\n\n\(lines[0])\n"))
    for line in lines where !line.hasPrefix("     | ") { #expect(line.count <= 80, "\(line)") }
    #expect(try Self.leftovers(on: machine) == [])
  }

  @Test(arguments: [
    ["tour", "0"], ["tour", "17"], ["tour", "x"], ["tour", "1", "2"], ["unknown"], ["tour", "--x"],
    ["daemon", "now"], ["daemon", "--settings"],
  ])
  func misuseIsAnsweredWithTheUsage(arguments: [String]) throws {
    let ended = try machine.run(arguments)
    #expect(ended.status == 2 && ended.output == "")
    #expect(ended.errors.contains("\n\nUsage: Example [tour [CHAPTER]]\n"))
  }

  @Test func helpIsShort() throws {
    let help = try machine.run("--help")
    #expect(help.status == 0)
    #expect(help.output.split(separator: "\n", omittingEmptySubsequences: false).count <= 10)
  }

  @Test func tourPausesOnATerminalAndQEndsIt() throws {
    let session = try DisplayedSession(
      [machine.executable], on: machine, variables: ["TERM=xterm-256color"])
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
  func endAtAPauseLeavesNoFiles(key: String) throws {
    let session = try DisplayedSession([machine.executable], on: machine)
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
  func colorsCanBeDeclined(variables: [String], isColored: Bool) throws {
    let session = try DisplayedSession(
      [machine.executable, "tour", "1"], on: machine, variables: variables)
    #expect(try session.end() == 0)
    #expect(session.screen.contains("\u{1B}[32m→ 100000\u{1B}[0m") == isColored)
    #expect(session.screen.contains("\u{1B}") == isColored)
  }

  @Test func tourPrintsItsOutcomes() throws {
    let pairs = try fixture("outcomes").split(separator: "\n")
    let lines = tour.output.split(separator: "\n")
    for index in stride(from: 0, to: pairs.count, by: 2) {
      let place = try #require(lines.firstIndex { $0.hasSuffix(pairs[index]) }, "\(pairs[index])")
      #expect(lines[place + 1].hasPrefix(pairs[index + 1]))
    }
    #expect(pairs.count == 84)
  }
}
