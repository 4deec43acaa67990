import CLibrary
import FoundationEssentials
import SecretStorage
import TestSupport
import Testing

struct RunTests {
  private let machine: Machine

  init() throws {
    machine = try Machine()
    try machine.store("tajny", "--service", "com.example/app", "--account", "a/b")
    try machine.store("hemlig", "--service", "mail", "--account", "peter")
    try machine.store("salainen", "--server", "host", "--account", "peter")
  }

  private func run(_ reference: String, _ command: String...) throws -> Ended {
    try machine.run(["run", "--env", "TOKEN=\(reference)", "--"] + command, input: "input")
  }

  @Test(arguments: [
    ("com.example/app/a/b", "tajny"), ("com.example/app", "tajny"), ("mail/peter", "hemlig"),
    ("host/peter", "salainen"), ("host", "salainen"),
  ])
  func theVariableHasTheSecret(reference: String, secret: String) throws {
    let ended = try run(reference, "/bin/sh", "-c", "echo \"$TOKEN\"; cat")
    #expect(ended.status == 0 && ended.errors == "")
    #expect(ended.output == "\(secret)\ninput")
  }

  @Test func theCommandHasItsWordsAndTheOtherVariables() throws {
    let ended = try machine.run(
      [
        Machine.executable, "run", "--env", "A=mail", "--env=B=host", "--", "sh", "-c",
        "echo $A $B $C; printf '[%s]' \"$@\"", "sh", "--", "--env", "a b", "",
      ], input: "", environment: machine.environment + ["A=before", "C=kept"])
    #expect(ended.output == "hemlig salainen kept\n[--][--env][a b][]", "\(ended)")
  }

  @Test func theCommandTakesThePlaceOfTheProgram() throws {
    let ended = try machine.shell(
      #"echo $$; exec "$0" run --env A=mail -- sh -c 'echo $$; exit 7'"#)
    let numbers = ended.output.split(separator: "\n")
    #expect(numbers.count == 2 && numbers[0] == numbers[1])
    #expect(ended.status == 7)
  }

  @Test func theCommandHasTheSignalsAndDescriptorsOfItsCaller() throws {
    // A caller may ignore signals, and close descriptors.
    // Without the signals above 32, which the C library changes itself.
    let look =
      "trap '' USR1; sed -n '/^Sig[BI]/s/.*\\(.\\{8\\}\\)/\\1/p' /proc/self/status; ls /proc/self/fd"
    for streams in ["", "<&-", "2>&-"] {
      // In one shell, because other tests open descriptors in this process meanwhile.
      let ended = try machine.shell(
        """
        (\(look)) \(streams); echo
        trap '' USR1; "$0" run --env A=mail -- sh -c "\(look)" \(streams)
        """)
      let parts = ended.output.split(separator: "\n\n")
      #expect(ended.status == 0 && parts.count == 2, "\(ended)")
      #expect(parts.first.map { "\($0)\n" } == parts.last.map(String.init), "\(ended)")
    }
    let killed = try run("mail", "/bin/sh", "-c", "kill -TERM $$")
    #expect(killed.status == -SIGTERM)
  }

  @Test(arguments: [
    ("mail/paul", "There is no secret for TOKEN. `locket secrets list` shows the secrets"),
    ("hunter2", "There is no secret for TOKEN."),
  ])
  func whatIsAbsentIsAnErrorWithAdvice(reference: String, message: String) throws {
    let ended = try run(reference, "/bin/sh", "-c", "echo started")
    #expect(ended.status == 125 && ended.output == "")
    #expect(ended.errors.hasPrefix("locket: \(message)"))
    #expect(!ended.errors.contains(reference))
  }

  @Test func severalSecretsAreNotGuessedAmong() throws {
    try machine.store("two", "--service", "mail", "--account", "paul")
    let ended = try run("mail", "/bin/true")
    #expect(ended.status == 125)
    #expect(ended.errors.hasPrefix("locket: 2 secrets match the one for TOKEN"))
    #expect(try run("mail/paul", "/bin/sh", "-c", "echo $TOKEN").output == "two\n")
    // The one without an account is named by the service alone.
    try machine.store("three", "--service", "mail", "--exact")
    #expect(try run("mail", "/bin/sh", "-c", "echo $TOKEN").output == "three\n")
  }

  @Test func whatNoVariableHoldsIsRefused() throws {
    @GenericPassword(service: "number", in: machine.vault) var number: Int?
    number = 5
    let zero = try run("number", "/bin/true")
    #expect(zero.status == 125)
    #expect(zero.errors.hasPrefix("locket: The secret for TOKEN contains a zero byte"))
    try machine.store(String(repeating: "x", count: 131_072 - 7), "--service", "fits")
    #expect(try run("fits", "/bin/sh", "-c", "echo ${#TOKEN}").output == "131065\n")
    try machine.store(String(repeating: "x", count: 131_072 - 6), "--service", "large")
    let large = try run("large", "/bin/true")
    #expect(large.status == 125)
    #expect(large.errors.hasPrefix("locket: The secret for TOKEN is too large"))
  }

  @Test func aCommandThatCannotBeRunHasTheStatusOfEnv() throws {
    let missing = try run("mail", "no-such-command")
    #expect(missing.status == 127)
    #expect(
      missing.errors.hasPrefix("locket: The command cannot be run: No such file or directory."))
    let file = try machine.file("file", "text")
    #expect(try run("mail", file).status == 126)
  }

  @Test(arguments: [
    [], ["--env", "A=mail"], ["--env", "A=mail", "--"], ["--env", "A=mail", "--", ""],
    ["--env", "A=mail", "hunter2"], ["--", "hunter2"], ["--env", "hunter2", "--", "true"],
    ["--env", "A=", "--", "true"], ["--env", "=hunter2", "--", "true"],
    ["--env", "hunter-2=mail", "--", "true"], ["--env", "2hunter2=mail", "--", "true"],
    ["--env", "A=mail", "--env", "A=host", "--", "hunter2"], ["--env"],
    ["--env", "A=mail", "--unknown", "--", "hunter2"],
  ])
  func wrongUsageGives125AndRunsNothing(words: [String]) throws {
    let ended = try machine.run(["run"] + words, input: "")
    #expect(ended.status == 125 && ended.output == "")
    #expect(ended.errors.hasPrefix("locket: "))
    #expect(ended.errors.hasSuffix("\n`locket help run` explains the command.\n"))
    #expect(!ended.errors.contains("hunter"))
  }

  @Test func aSecretWithAPasswordOfItsOwnNeedsIt() throws {
    let password = ["--item-password-file", try machine.file("password", "laputa\n")]
    let set = ["secrets", "set", "--service", "safe", "--require", "password"] + password
    #expect(try machine.run(set, input: "the key").status == 0)
    let run = ["run", "--env", "TOKEN=safe"]
    let command = ["--", "/bin/sh", "-c", "echo $TOKEN"]
    #expect(try machine.run(run + password + command, input: "").output == "the key\n")
    let without = try machine.run(run + command, input: "")
    #expect(without.status == 125 && without.errors.contains("--item-password-file"))
  }

  @Test func aLockedVaultAsksOnTheTerminal() throws {
    let file = try machine.lock()
    let session = try PseudoTerminal(
      "run", "--env", "TOKEN=mail", "--", "sh", "-c", "echo got $TOKEN", on: machine)
    try session.answer("Passphrase of the vault: ", "totoro")
    #expect(try session.end() == 0)
    #expect(session.screen.hasSuffix("got hemlig\r\n"))
    #expect(session.isGivenBack)
    let without = try run("mail", "/bin/true")
    #expect(without.status == 125 && without.errors.contains("--passphrase-file"))
    let ended = try machine.run(
      "run", "--passphrase-file", file, "--env", "A=mail", "--", "/bin/sh", "-c", "echo $A")
    #expect(ended.output == "hemlig\n")
  }
}

/// Where a secret must never be.
struct CanaryTests {
  private static let canary = "kanarek-3f9c1d"

  private let machine: Machine

  init() throws {
    machine = try Machine()
    try machine.store(Self.canary, "--service", "mail", "--account", "peter")
  }

  /// The files of the test's directory that contain the secret, but those of the test.
  private var leaks: [String] {
    get throws {
      try machine.shell("grep -rlaF --exclude='*.in' \(Self.canary) . || true").output.split(
        separator: "\n"
      )
      .map(String.init)
    }
  }

  @Test func aSecretIsInNoFileAndNoMessage() throws {
    for words in [
      ["list"], ["list", "--json"], ["verify"], ["slots", "--json"], ["rotate"],
      ["delete", "--service", "other"], ["set", "--service", "other"],
    ] {
      _ = try machine.run(["secrets"] + words, input: "x")
    }
    _ = try machine.run("doctor")
    _ = try machine.run("run", "--env", "A=mail", "--", "true")
    _ = try machine.run("run", "--env", "A=mail", "--", "no-such-command")
    #expect(try leaks == [])
  }

  @Test func aSecretIsInNoArgumentOfAnyProcess() throws {
    let script = #"""
      cd "$HOME"
      cat /proc/[0-9]*/cmdline >cmdlines 2>&-
      grep -acF "$TOKEN" cmdlines >count
      """#
    let ended = try machine.run("run", "--env", "TOKEN=mail", "--", "/bin/sh", "-c", script)
    // grep has it as an argument itself, but was not running yet.
    #expect(ended.status == 1, "\(ended)")
    #expect(try machine.text("count") == "0\n")
  }

  @Test func aProcessThatCrashesWithASecretDumpsNoCore() throws {
    // The reader of the pipe waits, so that the tool has the secret and blocks while writing it.
    try machine.store(
      String(repeating: Self.canary, count: 20_000), "--service", "large")
    let crash = #"""
      ulimit -c unlimited
      mkfifo pipe
      "$0" secrets get --service large >pipe &
      exec 3<pipe
      head -c 10 <&3 >/dev/null
      kill -SEGV $!
      wait $!
      echo $?
      """#
    let ended = try machine.shell(crash)
    #expect(ended.output == "139\n", "\(ended)")
    #expect(try leaks == [])
  }
}
