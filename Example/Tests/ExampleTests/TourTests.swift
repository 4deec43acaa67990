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
    #expect(tour.status == .exited(0))
    #expect(tour.errors == "")
    #expect(tour.output.contains("\nThat was the tour;"))
    // Without an argument, it is the same.
    let bare = try Machine().run()
    #expect(bare.status == .exited(0) && bare.output.hasPrefix("1. @Serialized"))
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

  @Test func aTourThatNobodyReadsLeavesNothingBehindEither() throws {
    let machine = try Machine()
    let process = try Child.spawn(
      [Machine.executable], environment: machine.environment,
      files: [("/dev/null", O_RDONLY), ("/dev/full", O_WRONLY), ("/dev/null", O_WRONLY)])
    #expect(try Child.wait(for: process) == .exited(2))
    let closed = try Child.spawn(
      ["/bin/sh", "-c", "\"$0\" | true", Machine.executable], environment: machine.environment,
      files: [("/dev/null", O_RDONLY), ("/dev/null", O_WRONLY), ("/dev/null", O_WRONLY)])
    #expect(try Child.wait(for: closed) == .exited(0))
    #expect(try FileManager.default.contentsOfDirectory(atPath: machine.temporary.path) == [])
  }

  @Test(arguments: [
    ("from 8 threads at once", "100000"),
    ("var volume = 0.8", "0.8"),
    ("$volume.observe { old, new in … }", "0.5 became 0.25"),
    ("try $volume.load()", "throws: …/settings.json cannot be read at line 1, column 18: "),
    ("try store.moveAsideUnreadableFile()", "…/settings.json.unreadable-"),
    ("volume   // the default, for the file is new", "0.8"),
    (#"declB   // what it leaves out may be anything"#, #""The Valley Wind""#),
    (#"afresh: declB = "The Valley Wind"; declA"#, "nil"),
    (#"declB   // the oldest"#, #""The Sixth Station""#),
    ("try $declC.remove(); declB", #""The Valley Wind""#),
    ("the second process reads its token", #""written by the first process""#),
    ("heard what the second process wrote", #""written by the second process""#),
    ("$diary.status", "locked"), ("// kept, not lost", "true"),
    (#"try vault.unlock(with: .passphrase("tortoro"))"#, "throws: The passphrase is wrong."),
    ("try $diary.save(); diary", #""Tuesday""#),
    ("try $note.load()", "throws: The vault is sealed for another device."),
    (
      "try $key.load()   // nobody is asked, so nothing is read",
      "throws: The item may not be read now"
    ),
    (
      #"try await $key.load(authorizedBy: …(applicationPassword: "laputa"))"#,
      #""the key of everything""#
    ),
    ("try $pairing.load()", "throws: The item is sealed for another device."),
    (#"try other.unlock(with: .recoveryCode(code)); diary"#, #""Monday""#),
    ("try vault.removeSlot(/* the last one */)", "throws: The slot 2, "),
    ("secret 300 of 300", #""secret 300""#),
    (#"try vault.export(to: file, passphrase: "ponyo").exported.count"#, "300"),
    ("isDryRun: true).items(.conflict).count", "1"),
    ("secrets 1 and 2", #""another one, secret 2""#),
    ("try $two.load()", "throws: The vault may have had more items: it is damaged at bytes "),
    ("try vault.salvageableItems()", #"["one", "three"]"#),
    ("try vault.verify().isSound", "true"),
    ("try $balance.load()", "throws: …/rolled back/secrets.vault ends at record "),
    ("where that was on purpose", "100"),
    ("// for HTML and for other programs", #""required: upper; required: digit; "#),
    (
      #"try PasswordRuleSet("required: number;")"#, "throws: At character 11: `number` is no class;"
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
