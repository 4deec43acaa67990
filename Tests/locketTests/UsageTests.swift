import FoundationEssentials
import SecretStorage
import TestSupport
import Testing

struct UsageTests {
  private let machine: Machine

  init() throws {
    machine = try Machine()
  }

  @Test(arguments: [
    ["unknown"], ["secrets"], ["secrets", "unknown"], ["--unknown"], ["tour"], ["signup"],
    ["doctor", "--unknown"],
    ["secrets", "get"], ["secrets", "get", "--service"], ["secrets", "get", "--account", "a"],
    ["secrets", "get", "--service", "a", "--server", "b"],
    ["secrets", "get", "--service", "a", "--service", "a"],
    ["secrets", "get", "--service", "a", "--port", "1"],
    ["secrets", "get", "--server", "a", "--port", "65536"],
    ["secrets", "get", "--server", "a", "--protocol", "unknown"],
    ["secrets", "get", "--service", "a", "--exact=yes"],
    ["secrets", "list", "--account", "a"], ["secrets", "list", "--state", "/tmp"],
    ["secrets", "list", "--vault", ""], ["secrets", "list", "--passphrase-file", "-"],
    ["secrets", "passphrase", "--new-passphrase-file", "-"],
    ["secrets", "passphrase", "--remove", "--new-passphrase-file", "/dev/null"],
    ["doctor", "--service", "a"],
    ["settings"], ["settings", "unknown"], ["settings", "get"], ["settings", "get", "--"],
    ["settings", "get", "a", "b"], ["settings", "get", "a", "--file"],
    ["settings", "get", "a", "--file", ""], ["settings", "get", "a", "--file", "a.toml"],
    ["settings", "get", "a", "--file", "json"], ["settings", "get", "--unknown"],
    ["settings", "set", "a"], ["settings", "set", "a", "1", "2"], ["settings", "set", "a", "--1"],
    ["settings", "list", "a"], ["settings", "list", "--", "a"], ["settings", "reset"],
    ["settings", "list", "--environment", ""], ["settings", "list", "--environment"],
    ["settings", "set", "a", "1", "--environment", "A_"], ["doctor", "--file", "a.toml"],
    ["settings", "list", "--file", "a.json", "--file", ""], ["doctor", "--environment", ""],
    ["settings", "watch", "a"], ["settings", "move-aside", "a.json"],
    ["migrate"], ["migrate", "unknown"], ["migrate", "env"], ["migrate", "env", "/dev/null"],
    ["migrate", "env", "/dev/null", "--service", ""], ["migrate", "keychain", "a", "b"],
    ["migrate", "keychain", "a", "--skip-unreadable"], ["migrate", "env", "a", "--dry-run=yes"],
    ["migrate", "libsecret", "a", "--source-passphrase-file", "-"],
    ["migrate", "adapters"], ["migrate", "adapters", "--service", ""],
    ["migrate", "adapters", "a", "--service", "b"],
    ["migrate", "adapters", "--service", "a", "--type", "b"],
    ["migrate", "adapters", "--service", "a", "--type", "b=unknown"],
    ["migrate", "adapters", "--service", "a", "--type", "b=[\"data\", \"date\"]"],
    ["migrate", "adapters", "--service", "a", "--type", "b={\"c\": 1}"],
    ["migrate", "adapters", "--service", "a", "--type", "b=data", "--type", "b=date"],
    ["migrate", "adapters", "--service", "a", "--dates", "unknown"],
    ["migrate", "adapters", "--service", "a", "--remove-source"],
    ["migrate", "defaults"], ["migrate", "defaults", "a", "b"],
    ["migrate", "defaults", "a", "--keep-data"], ["migrate", "defaults", "a", "--vault", "b"],
    ["migrate", "defaults", "a", "--file", "b"], ["migrate", "defaults", "a", "--replace=yes"],
    ["migrate", "defaults", "a", "--dry-run", "--dry-run"],
    ["rules"], ["rules", "unknown"], ["rules", "check"], ["rules", "check", "", "tajny"],
    ["rules", "check", "", "-n", "1"], ["rules", "check", "--any=yes", ""],
    ["rules", "generate"], ["rules", "generate", "", "-n"], ["rules", "generate", "", "-n", "0"],
    ["rules", "generate", "", "-n", "x"], ["rules", "generate", "", "-n", "1", "-n", "1"],
    ["rules", "generate", "", "-n=1"], ["rules", "generate", "", "--n", "1"],
    ["rules", "generate", "", "--length", "-1"],
    ["rules", "generate", "", "--typeable", "--length", "20"], ["rules", "compare", ""],
    ["rules", "compare", "", "", ""], ["rules", "explain"],
    ["rules", "canonical", "minlength: 8;"],
    ["rules", "count"], ["rules", "count", "--length", "99999999999999999999"],
    ["secrets", "list", "--json=yes"], ["help", "unknown"],
    ["help", "secrets", "unknown"], ["--version", "a"], ["secrets", "list", "--app"],
  ])
  func wrongUsageGivesTwoAndOneLineWithAHint(arguments: [String]) throws {
    let ended = try machine.run(arguments, input: "tajny")
    #expect(ended.status == 2)
    #expect(ended.output == "")
    let lines = ended.errors.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == 3 && lines.last == "", "\(ended.errors)")
    #expect(lines[0].hasPrefix("locket: "))
    #expect(lines[1].hasPrefix("`locket help"))
  }

  @Test(arguments: [
    [], ["secrets"], ["secrets", "list"], ["secrets", "get"], ["secrets", "set"],
    ["secrets", "delete"], ["secrets", "passphrase"], ["secrets", "verify"],
    ["secrets", "repair"], ["secrets", "accept-rollback"], ["secrets", "accept-replacement"],
    ["secrets", "remove-damaged"], ["doctor"],
    ["migrate"], ["migrate", "cryptfile"], ["migrate", "libsecret"], ["migrate", "keychain"],
    ["migrate", "env"], ["migrate", "adapters"], ["migrate", "defaults"],
    ["settings"], ["settings", "get"], ["settings", "set"], ["settings", "list"],
    ["settings", "reset"], ["settings", "watch"], ["settings", "move-aside"],
    ["rules"], ["rules", "check"], ["rules", "generate"], ["rules", "compare"],
    ["rules", "explain"], ["rules", "canonical"], ["rules", "count"],
  ])
  func helpIsOnStandardOutput(command: [String]) throws {
    let ended = try machine.run(command + ["--help"], input: "")
    #expect(ended.status == 0)
    #expect(ended.output.hasPrefix("Usage: locket "))
    #expect(ended.errors == "")
  }

  @Test(arguments: [
    ["secrets", "set", "--service", "a", "hunter2"],
    ["secrets", "set", "--service", "a", "--secret=hunter2"],
    ["secrets", "set", "--service", "a", "--hunter2"],
    ["secrets", "passphrase", "hunter2"],
    ["secrets", "get", "--service", "a", "hunter2"],
    ["secrets", "set", "--service", "a", "--", "hunter2"],
    ["secrets", "set", "--service", "a", "--", "--hunter2"],
    ["hunter2"], ["settings", "hunter2"],
    ["settings", "get", "a", "hunter2"], ["settings", "get", "--hunter2"],
    ["settings", "get", "a", "--file=hunter2"],
    ["settings", "set", "a", "\"hunter2"],
    ["settings", "set", "a", "{\"hunter2\": 1, \"hunter2\": 2}"],
    ["settings", "set", "a", "--hunter2"], ["settings", "set", "a", "b", "hunter2"],
    ["rules", "check", "", "hunter2"], ["rules", "check", "", "--hunter2"], ["help", "hunter2"],
  ])
  func anArgumentThatIsRefusedIsNotRepeated(arguments: [String]) throws {
    let ended = try machine.run(arguments, input: "tajny")
    #expect(ended.status == 2)
    #expect(!ended.errors.contains("hunter2"))
    #expect(try machine.run("secrets", "list").output == "")
    #expect(try machine.run("settings", "list").output == "")
  }

  @Test(arguments: ["secrets", "migrate", "settings", "rules"])
  func aGroupOfCommandsListsItsOwn(group: String) throws {
    let help = try machine.run(group, "--help")
    #expect(help.output.hasPrefix("Usage: locket \(group) <command> [options]\n"))
    let listed = help.output.split(separator: "\n").filter { $0.hasPrefix("  ") }
    #expect(listed.count > 3)
    for line in listed { #expect(line.hasPrefix("  \(group) "), "\(line)") }
    let ended = try machine.run(group, "unknown")
    #expect(
      ended.errors == """
        locket: There is no such command.
        `locket help \(group)` lists its commands.

        """)
  }

  @Test(arguments: [
    ("secets list", "There is no such command. Did you mean `locket secrets list`?"),
    ("secrets lst", "There is no such command. Did you mean `locket secrets list`?"),
    ("secrts", "There is no such command. Did you mean `locket secrets`?"),
    ("hepl", "There is no such command. Did you mean `locket help`?"),
    ("help doctr", "There is no such command. Did you mean `locket doctor`?"),
    ("reset a", "There is no such command. Did you mean `locket settings reset`?"),
    (
      "get", "There is no such command. Did you mean `locket secrets get` or `locket settings get`?"
    ),
    ("slots add", "There is no such command. Did you mean `locket secrets slots add`?"),
    ("--app a secrets list", "Write options after the command."),
    ("secrets", "`locket secrets` needs a command."),
    ("settings list --foo", "`settings list` has no option `--foo`. Did you mean `--file`?"),
    ("secrets get --servce a", "`secrets get` has no option `--servce`. Did you mean `--service`?"),
    ("secrets get --xyz", "`secrets get` has no option `--xyz`.\n"),
    ("settings set a --1", "`settings set` has no option of that name. Write `--` before an "),
  ])
  func aSlipIsAnsweredWithTheWordThatWasMeant(words: String, answer: String) throws {
    let ended = try machine.run(words.split(separator: " ").map(String.init), input: "")
    #expect(ended.status == 2)
    #expect(ended.errors.hasPrefix("locket: \(answer)"), "\(ended.errors)")
  }

  @Test(arguments: ["", "help", "secrets", "secrets get", "rules generate", "run"])
  func helpIsAskedForBeforeOrAfterTheCommand(command: String) throws {
    let words = command.split(separator: " ").map(String.init)
    let help = try machine.run(words + ["--help"], input: "")
    #expect(help.output.hasPrefix("Usage: locket "))
    for words in [["help"] + words, words + ["-h"], ["help"] + words + ["-h"]] {
      let ended = try machine.run(words, input: "")
      #expect(ended.status == 0 && ended.output == help.output, "\(words)")
    }
  }

  @Test func theVersionIsThatOfTheChangelog() throws {
    let changelog = try String(
      contentsOf: packageDirectory.appending(path: "CHANGELOG.md"), encoding: .utf8)
    let heading = try #require(changelog.firstRange(of: "\n## ["))
    let newest = changelog[heading.upperBound...].prefix { $0 != "]" }
    #expect(try machine.run("--version").output == "locket \(newest.lowercased())\n")
  }

  @Test func anAppIsNamedByItsDirectories() throws {
    try machine.succeed("settings", "set", "volume", "0.5", "--app", "player")
    try machine.store("tajny", "--service", "mail", "--app", "player")
    #expect(try machine.text(".config/player/settings.json") == "{\n  \"volume\": 0.5\n}\n")
    @GenericPassword(
      service: "mail",
      in: SecretVault(
        fileURL: machine.home.appending(path: ".local/share/player/secrets.vault"),
        stateDirectory: machine.home.appending(path: ".local/state/player")))
    var password: String?
    #expect(password == "tajny")
    #expect(try machine.run("secrets", "list").output == "")
    #expect(try machine.run("settings", "list").output == "")
    let doctor = try machine.run("doctor", "--app", "player").output
    #expect(doctor.contains("/player/secrets.vault") && doctor.contains("/player/settings.json"))
    // A vault that is named has the device key of the app.
    let vault = machine.path("copy.vault")
    try machine.store("tajny", "--service", "mail", "--app", "player", "--vault", vault)
    #expect(try machine.run("secrets", "list", "--vault", vault).status == 2)
    for words in [["secrets", "list"], ["settings", "list"], ["doctor"]] {
      let ended = try machine.run(words + ["--app", "a/b"], input: "")
      #expect(ended.status == 2)
      #expect((ended.output + ended.errors).contains("without slashes"), "\(ended)")
    }
  }

  @Test func theNameOfTheExecutableDoesNotMatter() throws {
    try machine.set("volume", to: "0.5")
    // A file that this process has written cannot be executed while another thread forks.
    let ended = try machine.shell("cp \"$0\" lk && ./lk settings get volume")
    #expect(ended.output == "0.5\n")
  }

  @Test func withoutArgumentsTheCommandsAreListed() throws {
    let bare = try machine.run()
    #expect(bare.status == 0)
    #expect(try bare.output == machine.run("--help").output)
  }

  @Test func whyASecretIsNoArgumentIsSaid() throws {
    for words in [["secrets", "set"], ["secrets", "passphrase"], ["rules", "check", ""]] {
      let ended = try machine.run(words + ["hunter2"], input: "")
      #expect(ended.errors.contains("where every user of the machine can read it"))
    }
  }

  @Test func anOptionOfOneLetterHasOneHyphen() throws {
    let help = try machine.run("rules", "generate", "--help").output
    #expect(help.contains("\n  -n COUNT    the number"))
    // Where no option is called so, it is a parameter like others.
    let ended = try machine.run("settings", "set", "-n", "1")
    #expect(ended.status == 0)
    #expect(try machine.run("settings", "get", "-n").output == "1\n")
  }

  @Test func whatACommandTakesByPlaceIsExplained() throws {
    let help = try machine.run("settings", "set", "--help").output
    #expect(help.hasPrefix("Usage: locket settings set KEY VALUE [options]\n"))
    let columns = help.split(separator: "\n").map { line in
      line.split(separator: " ").joined(separator: " ")
    }
    for start in ["KEY the", "VALUE text, or JSON", "--file FILE the"] {
      #expect(columns.contains { $0.hasPrefix(start) })
    }
  }

  @Test(arguments: ["settings get", "settings list --file", "secrets list --service"])
  func anArgumentThatIsNotUTF8IsRefused(command: String) throws {
    let ended = try machine.shell("\"$0\" \(command) \"$(printf '\\377')\"")
    #expect(ended.status == 2)
    #expect(ended.errors.hasSuffix(" is not valid UTF-8.\n"))
  }

  @Test(arguments: [
    "secrets get --service mail", "settings get volume", "settings list", "settings move-aside",
    "settings --help", "settings get --help", "doctor", "",
    "rules generate ''", "rules compare '' ''", "rules explain ''",
    "rules count --length 1 <descriptors",
  ])
  func anOutputThatTakesNothingGivesTwo(command: String) throws {
    try machine.store("tajny", "--service", "mail")
    try machine.set("volume", to: "0.8")
    _ = try machine.file("descriptors", "\"minlength: 1;\"\n")
    for output in [">/dev/full", ">&-", ">&- 2>&-", "<&- >&- 2>&-"] {
      let ended = try machine.shell("\"$0\" \(command) \(output)")
      #expect(ended.status == 2, "\(output)")
    }
    let errors = try machine.shell("\"$0\" \(command) 2>&-")
    #expect(errors.status == 0 && errors.output != "")
  }
}
