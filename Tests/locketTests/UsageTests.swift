import CLibrary
import FoundationEssentials
import TestSupport
import Testing
import ValueFormats

@testable import locket

final class UsageTests: ToolTests {
  /// Lines of arguments, and arguments that no line has.
  private static func misuses() throws -> [[String]] {
    try Fixture.text("misuses").split(separator: "\n").map { String($0).words } + [
      ["secrets", "list", "--vault", ""], ["settings", "get", "a", "--file", ""],
      ["migrate", "env", "/dev/null", "--service", ""], ["migrate", "adapters", "--service", ""],
    ]
  }

  /// In a process of its own, whose home directory an accepted command would change.
  @Test func misuseIsAnErrorThatRepeatsNoArgument() async {
    await #expect(processExitsWith: .success) {
      let machine = try Machine()
      // No other thread of the process reads the environment.
      #expect(unsafe setenv("HOME", machine.home.path, 1) == 0)
      let misuses = try UsageTests.misuses()
      #expect(misuses.count > 100)
      for arguments in misuses {
        let error = await #expect(throws: UsageError.self, "\(arguments)") {
          _ = try await Command.run(arguments)
        }
        let usage = error?.usage ?? Command.overview()
        #expect(usage.hasPrefix("Usage: locket "))
        let message = "\(error?.reason ?? "")\n\n\(usage)"
        #expect(!message.contains("hunter2"), "\(arguments)")
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: machine.home.path) == ["tmp"])
    }
  }

  @Test func typingErrorIsAnsweredWithTheNearestWord() throws {
    for row in try Fixture.rows("typing-errors", as: [String].self) {
      let ended = try machine.run(row[0])
      #expect(ended.status == 2 && ended.output == "", "\(row)")
      #expect(ended.errors.hasPrefix("locket: \(row[1])"), "\(row) \(ended.errors)")
      #expect(ended.errors.contains("\n\nUsage: locket "), "\(row)")
    }
  }

  @Test func helpIsOnStandardOutput() async throws {
    let ended = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      for command in Command.all {
        let status = try await Command.run(command.name.words + ["--help"])
        #expect(status == .done)
      }
    }
    let output = String(decoding: try #require(ended).standardOutputContent, as: UTF8.self)
    #expect(output == Command.all.map { "\($0.usage)\n" }.joined())
    for command in Command.all { #expect(command.usage.hasPrefix("Usage: locket \(command.name)")) }
    #expect(try machine.output("") == Command.overview() + "\n")
    #expect(try machine.output("--help") == Command.overview() + "\n")
  }

  @Test(arguments: ["secrets", "migrate", "settings", "rules"])
  func groupListsItsCommands(group: String) throws {
    let help = try machine.output("\(group) --help")
    #expect(help.hasPrefix("Usage: locket \(group) <command> [options]\n"))
    let listed = help.split(separator: "\n").filter { $0.hasPrefix("  ") }
    #expect(listed.count > 3)
    for line in listed { #expect(line.hasPrefix("  \(group) "), "\(line)") }
    let ended = try machine.run("\(group) unknown")
    #expect(ended.errors == "locket: There is no such command.\n\n\(help)")
  }

  @Test(arguments: ["secrets set", "secrets passphrase", "rules check a"])
  func refusedSecretArgumentIsExplained(words: String) throws {
    let errors = try machine.run("\(words) hunter2").errors
    #expect(errors.contains("where every user of the machine can read it"))
  }

  @Test func singleLetterOptionHasOneHyphen() throws {
    #expect(Command.generatePasswords.usage.contains("\n  -n COUNT    the number"))
    // Where no option is called so, it is a parameter like others.
    try machine.output("settings set -n 1")
    #expect(try machine.output("settings get -n") == "1\n")
  }

  @Test func helpExplainsParameters() throws {
    let help = Command.setSetting.usage
    #expect(help.hasPrefix("Usage: locket settings set KEY VALUE [options]\n"))
    for line in ["\n  KEY          the", "\n  VALUE        in", "\n  --file FILE  the"] {
      #expect(help.contains(line))
    }
  }

  @Test(arguments: ["settings get", "settings list --file", "secrets list --service"])
  func argumentThatIsNotUTF8IsAnError(command: String) throws {
    let ended = try machine.shell("\"$0\" \(command) \"$(printf '\\377')\"")
    #expect(ended.status == 2)
    #expect(ended.errors.hasSuffix(" is not valid UTF-8.\n"))
  }

  /// In a directory whose name controls a terminal, as from an archive of someone else.
  @Test(arguments: [
    #"secrets list --vault "$dir/v""#, #"secrets export e --export-passphrase-file "$dir/p""#,
    #"settings list --file "$dir/n.json""#, #"settings get a --file "$dir/s.json""#,
    #"settings move-aside --file "$dir/s.json" >&2"#, #"migrate env "$dir/s.json" --service s"#,
    #"migrate env "$dir/n" --service s"#, #"migrate defaults "$dir/n""#,
  ])
  func messageContainsNoControlCharacters(command: String) throws {
    let ended = try machine.shell(
      #"""
      dir="$(printf 'd\033]0;x\007\302\233\342\200\256')"; mkdir "$dir"; printf '{' >"$dir/s.json"
      "$0" \#(command)
      """#)
    #expect(ended.errors.contains("]0;x"))
    #expect(!ended.errors.unicodeScalars.contains { $0.isInvisible && $0 != "\n" })
  }

  @Test func outputThatCannotBeWrittenIsAnError() throws {
    try machine.store("tajny", "--service mail")
    try machine.set("volume", to: "0.8")
    _ = try machine.file("descriptors", "\"minlength: 1;\"\n")
    for command in [
      "secrets get --service mail", "settings get volume", "settings list", "settings move-aside",
      "settings --help", "settings get --help", "doctor", "", "rules generate ''",
      "rules compare '' ''", "rules explain ''", "rules count --length 1 <descriptors",
    ] {
      let ended = try machine.shell("\"$0\" \(command) >/dev/full")
      #expect(ended.status == 2, "\(command)")
      #expect(ended.errors.contains("The output cannot be written: "), "\(command)")
    }
    for output in [">&-", ">&- 2>&-", "<&- >&- 2>&-"] {
      #expect(try machine.shell("\"$0\" secrets get --service mail \(output)").status == 2)
    }
    let errors = try machine.shell("\"$0\" secrets get --service mail 2>&-")
    #expect(errors.status == 0 && errors.output == "tajny\n")
  }
}
