import CLibrary
import FoundationEssentials
import TestSupport
import Testing

@testable import locket

struct UsageTests {
  private let machine: Machine

  init() throws {
    machine = try Machine()
  }

  // swift-format-ignore
  private static let lines: [String] = [
    "unknown", "secrets", "secrets unknown", "--unknown", "tour", "signup", "doctor --unknown",
    "doctor --service a", "hunter2", "secrets get", "secrets get --service",
    "secrets get --account a", "secrets get --service a --server b",
    "secrets get --service a --service a", "secrets get --service a --port 1",
    "secrets get --server a --port 65536", "secrets get --server a --protocol unknown",
    "secrets get --service a --exact=yes", "secrets get --service a hunter2",
    "secrets list --account a", "secrets list --state /tmp", "secrets list --passphrase-file -",
    "secrets set --service a hunter2", "secrets set --service a --secret=hunter2",
    "secrets set --service a --hunter2", "secrets set --service a -- hunter2",
    "secrets set --service a -- --hunter2", "secrets set --service a --require hunter2",
    "secrets passphrase hunter2", "secrets passphrase --new-passphrase-file -",
    "secrets passphrase --remove --new-passphrase-file /dev/null", "secrets slots add foo",
    "secrets slots add key-file", "secrets slots add credential", "secrets slots remove",
    "secrets slots remove one", "secrets slots rename 1",
    "settings", "settings hunter2", "settings get", "settings get --", "settings get a hunter2",
    "settings get a --file", "settings get a --file=hunter2", "settings get a --file a.toml",
    "settings get a --file json", "settings get --hunter2", "settings set a",
    "settings set a 1 hunter2", "settings set a --1", "settings set a --hunter2",
    "settings list a", "settings list -- a", "settings reset", "settings watch a",
    "settings move-aside a.json",
    "migrate", "migrate unknown", "migrate env", "migrate env /dev/null", "migrate keychain a b",
    "migrate keychain a --skip-unreadable", "migrate env a --dry-run=yes",
    "migrate libsecret a --source-passphrase-file -", "migrate adapters",
    "migrate adapters a --service b", "migrate adapters --service a --type b",
    "migrate adapters --service a --type b=unknown", "migrate adapters --service a --type b={\"c\":1}",
    "migrate adapters --service a --type b=[\"data\",\"date\"]",
    "migrate adapters --service a --type b=data --type b=date",
    "migrate adapters --service a --dates unknown", "migrate adapters --service a --remove-source",
    "migrate defaults", "migrate defaults a b", "migrate defaults a --keep-data",
    "migrate defaults a --vault b", "migrate defaults a --file b",
    "migrate defaults a --replace=yes", "migrate defaults a --dry-run --dry-run",
    "rules", "rules unknown", "rules check", "rules check minlength:8 hunter2",
    "rules check minlength:8 --hunter2", "rules check minlength:8 -n 1",
    "rules check --any=yes minlength:8", "rules generate", "rules generate minlength:8 -n",
    "rules generate minlength:8 -n 0", "rules generate minlength:8 -n x",
    "rules generate minlength:8 -n 1 -n 1", "rules generate minlength:8 -n=1",
    "rules generate minlength:8 --n 1", "rules generate minlength:8 --length -1",
    "rules generate minlength:8 --typeable --length 20", "rules compare minlength:8",
    "rules compare minlength:8 minlength:8 minlength:8", "rules explain",
    "rules canonical minlength:8", "rules count", "rules count --length 99999999999999999999",
  ]

  private static let misuses =
    lines.map(\.words) + [
      ["secrets", "list", "--vault", ""], ["settings", "get", "a", "--file", ""],
      ["migrate", "env", "/dev/null", "--service", ""], ["migrate", "adapters", "--service", ""],
    ]

  /// In a process of its own, whose home directory an accepted command would change.
  @Test func misuseIsAnErrorThatRepeatsNoArgument() async {
    await #expect(processExitsWith: .success) {
      let machine = try Machine()
      // No other thread of the process reads the environment.
      #expect(unsafe setenv("HOME", machine.home.path, 1) == 0)
      for arguments in Self.misuses {
        let error = await #expect(throws: UsageError.self, "\(arguments)") {
          _ = try await Command.run(arguments)
        }
        let usage = error?.usage ?? Command.overview()
        #expect(usage.hasPrefix("Usage: locket "))
        let message = "\(error?.reason ?? "")\n\n\(usage)"
        #expect(!message.contains("hunter2"), "\(arguments)")
      }
      let files = try FileManager.default.contentsOfDirectory(atPath: machine.home.path)
      #expect(files == [])
    }
  }

  @Test(arguments: [
    ("secets list", "There is no such command. Did you mean `secrets list`?"),
    ("secrets lst", "There is no such command. Did you mean `secrets list`?"),
    ("secrets", "`locket secrets` needs a command."),
    ("settings list --foo", "`settings list` has no option `--foo`. Did you mean `--file`?"),
    ("secrets get --servce a", "`secrets get` has no option `--servce`. Did you mean `--service`?"),
    ("secrets get --xyz", "`secrets get` has no option `--xyz`.\n"),
    ("settings set a --1", "`settings set` has no option of that name. Write `--` before an "),
    ("secrets set --service a --require b", "--require needs `password` or `presence`."),
  ])
  func typingErrorIsAnsweredWithTheNearestWord(words: String, answer: String) throws {
    let ended = try machine.run(words)
    #expect(ended.status == 2 && ended.output == "")
    #expect(ended.errors.hasPrefix("locket: \(answer)"), "\(ended.errors)")
    #expect(ended.errors.contains("\n\nUsage: locket "))
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
    for command in Command.all {
      #expect(command.usage.hasPrefix("Usage: locket \(command.name)"))
    }
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
