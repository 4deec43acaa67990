import FoundationEssentials
import SecretStorage
import TestSupport
import Testing

/// `--json`, as a shell script reads it.
@Suite(.enabled(if: Tool.jq.isUsable, Tool.jq.comment))
struct ListingTests {
  private let machine: Machine

  init() throws {
    machine = try Machine()
    try machine.store("tajny", "--service", "it's", "--account", "a\tb", "--label", "\"Mail\"\n")
    try machine.store("hemlig", "--server", "host", "--port", "22", "--protocol", "ssh")
    try machine.set("volume", to: "0.8")
    try machine.set("names", to: #"["Kiki", null, {"a": "\u001b"}]"#)
  }

  /// Runs the tool, and jq on what it prints.
  private func jq(_ filter: String, _ command: String) throws -> String {
    let ended = try machine.shell(
      "\"$0\" \(command) --json </dev/null >lines; jq -rc \(filter.quoted) <lines")
    #expect(ended.status == 0 && ended.errors == "", "\(ended)")
    return ended.output
  }

  @Test func aScriptReadsSecretsByTheirFields() throws {
    #expect(
      try jq("[.service, .account, .label, .isProtected]", "secrets list --service \"it's\"")
        == #"["it's","a\tb","\"Mail\"\n",false]"# + "\n")
    #expect(try jq("select(.server) | [.port, .protocol]", "secrets list") == "[22,\"ssh\"]\n")
    let seconds = try jq(".created | sub(\"[.][0-9]+\"; \"\") | fromdate", "secrets list")
    for second in seconds.split(separator: "\n") {
      #expect(try abs(#require(Double(second)) - Date().timeIntervalSince1970) < 100_000)
    }
    let ended = try machine.shell(
      #"""
      "$0" secrets list --json | jq -r '.account // empty' | while IFS= read -r account; do
        "$0" secrets get --account "$account" --service "it's"
      done
      """#)
    #expect(ended.output == "tajny\n")
  }

  @Test func aSecretIsPrintedOnlyWhereItIsAskedFor() throws {
    for command in ["secrets list --all", "secrets slots", "secrets verify", "doctor"] {
      let lines = try jq(".", command)
      #expect(!lines.isEmpty && !lines.contains("tajny") && !lines.contains("hemlig"))
    }
    #expect(
      try jq("[.server, .secret]", "secrets get --server host") == #"["host","hemlig"]"# + "\n")
    @GenericPassword(service: "number", in: machine.vault) var number: Int?
    number = -1
    #expect(
      try jq("[.secret, .secretBase64]", "secrets get --service number")
        == #"[null,"//////////8="]"# + "\n")
  }

  @Test func settingsAreValuesOfJSON() throws {
    #expect(
      try jq("[.key, .value]", "settings list")
        == #"["names",["Kiki",null,{"a":"\u001b"}]]"# + "\n" + #"["volume",0.8]"# + "\n")
    #expect(try jq(".source", "settings list").hasSuffix("/.config/locket/settings.json\n"))
    _ = try machine.file(".env", "A=1")
    let unused = try machine.shell(
      "X_Y=1 \"$0\" settings list --environment X_ --sources --json | jq -r '.unused // empty'")
    #expect(unused.output.contains("X_Y"))
  }

  @Test func migrationsListTheirOutcomes() throws {
    _ = try machine.file("a.env", "TOKEN=1\nKEY=2\n")
    let command = "migrate env a.env --service app --remove-source"
    #expect(
      try jq("[.outcome, .account, .isSourceRemoved]", command) == """
        ["added","TOKEN",null]
        ["added","KEY",null]
        [null,null,true]

        """)
    _ = try machine.file("passphrase", "totoro\n")
    let export = "secrets export e --export-passphrase-file passphrase"
    #expect(try jq(".exported", export) == "4\n")
    let `import` = "secrets import e --export-passphrase-file passphrase"
    #expect(try jq(".outcome", `import`) == "identical\nidentical\nidentical\nidentical\n")
  }

  @Test func changesAreListedWhileTheyHappen() throws {
    let ended = try machine.shell(
      #"""
      timeout 60 "$0" settings watch --json >lines 2>errors &
      until grep -q Watching errors; do sleep 0.01; done
      "$0" settings set a '{"b": 1}'
      until grep -q '"b"' lines; do sleep 0.01; done
      "$0" settings set a null
      until grep -q null lines; do sleep 0.01; done
      "$0" settings reset a
      until [ "$(wc -l <lines)" = 3 ]; do sleep 0.01; done
      kill $!
      jq -c '[.key, has("value"), .value]' lines
      """#)
    #expect(
      ended.output == """
        ["a",true,{"b":1}]
        ["a",true,null]
        ["a",false,null]

        """, "\(ended)")
  }

  /// A day with the tool, as a person writes it down in a script.
  @Test func aScriptMovesSecretsFromAFileIntoAVaultAndRunsAServer() throws {
    let ended = try machine.shell(
      #"""
      set -eu
      locket() { "$locket" "$@"; }
      locket=$0
      printf 'DATABASE_URL=postgres://host\nTOKEN=tajny\n' >.env
      locket migrate env .env --service server --remove-source >report
      [ ! -e .env ]
      umask 077
      echo totoro >passphrase
      locket secrets passphrase --new-passphrase-file passphrase
      if locket secrets list 2>errors; then exit 1; fi
      grep -q 'The vault is locked' errors
      options=$(locket secrets list --service server --passphrase-file passphrase --json \
        | jq -r '"--env=\(.account)=\(.service)/\(.account)"')
      locket run --passphrase-file passphrase $options -- sh -c 'echo "$DATABASE_URL $TOKEN"'
      locket settings set name 'Peter Pan'
      locket settings set port 8080
      locket settings set port 80x 2>errors || echo "refused: $?"
      locket settings list --json | jq -r '"\(.key) \(.value)"'
      locket secrets delete --service server --account TOKEN --passphrase-file passphrase
      locket secrets get --service server --account TOKEN --passphrase-file passphrase \
        2>errors || echo "absent: $?"
      """#)
    #expect(
      ended.output == """
        postgres://host tajny
        refused: 2
        name Peter Pan
        names ["Kiki",null,{"a":"\\u001b"}]
        port 8080
        volume 0.8
        absent: 1

        """ && ended.status == 0, "\(ended)")
  }

  @Test func rulesAreListedWithTheirState() throws {
    let ended = try machine.shell(
      "echo ab1 | \"$0\" rules check 'required: digit; allowed: lower;' --json | jq -rc "
        + "'[.state // .isSatisfied]'")
    #expect(ended.output.hasSuffix("[true]\n") && ended.output.hasPrefix("[\"satisfied\"]\n"))
  }

  @Test func explanationsComparisonsAndPasswordsAreObjects() throws {
    #expect(
      try jq(
        "[.compatible, .html, .length, .entropy]", "rules explain 'max-repeating: 2;'")
        == #"["max-consecutive: 2;","passwordrules=\"max-repeating: 2;\"",20,131.4]"# + "\n")
    #expect(
      try jq("[.problem != null, .warnings]", "rules explain 'minlength: 9; maxlength: 8;'")
        == "[true,[]]\n")
    #expect(
      try jq(
        "[.relation, .onlyA, .onlyB]",
        "rules compare 'minlength: 2; allowed: [a];' 'minlength: 1; allowed: [a];'")
        == #"["stricter",null,"a"]"# + "\n")
    #expect(
      try jq("[.password | length]", "rules generate 'minlength: 30;' -n 2") == "[30]\n[30]\n")
  }

  @Test func everyFieldIsDocumented() throws {
    _ = try machine.file("a.env", "TOKEN=1\n")
    _ = try machine.file("passphrase", "totoro\n")
    let commands = [
      "secrets list", "secrets get --server host", "secrets slots", "secrets verify", "doctor",
      "settings list", "migrate env a.env --service app --remove-source",
      "secrets export e --export-passphrase-file passphrase",
      "secrets import e --export-passphrase-file passphrase", "rules check 'required: digit;'",
      "rules explain 'required: digit; required: digit;'", "rules compare '' 'minlength: 2;'",
      "rules explain 'minlength: 9; maxlength: 8;'", "rules generate ''",
      "doctor --file .config/locket/settings.json --file b.json --environment X_",
    ]
    for command in commands {
      let script =
        "X_VOLUME=1 X_Y=1 \"$0\" \(command) --json <passphrase | jq -r 'keys[]' | sort -u"
      let keys = try machine.shell(script).output.split(separator: "\n")
      let words = command.split(separator: " ").prefix {
        !$0.hasPrefix("-") && !$0.contains(".") && !$0.hasPrefix("'") && $0 != "e"
      }
      let help = try machine.run(["help"] + words.map(String.init), input: "").output
      let fields = try #require(help.split(separator: "\n\nWith --json").last)
      #expect(!keys.isEmpty)
      for key in keys { #expect(fields.contains("\n  \(key) "), "\(command): \(key)") }
    }
  }
}

extension String {
  fileprivate var quoted: String { "'\(self)'" }
}
