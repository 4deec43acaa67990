import FoundationEssentials
import TestSupport
import Testing

/// The words that are offered, by each shell for itself.
struct CompletionsTests {
  private let machine: Machine

  init() throws {
    machine = try Machine()
    _ = try machine.file("export.file", "")
    try FileManager.default.createDirectory(
      atPath: machine.path("exports"), withIntermediateDirectories: false)
  }

  /// The environment of a shell that finds the tool as `locket`.
  private var environment: [String] {
    let directory = URL(filePath: Machine.executable).deletingLastPathComponent().path
    return machine.environment.filter { !$0.hasPrefix("PATH=") && !$0.hasPrefix("TERM=") }
      + ["PATH=\(directory):/usr/bin:/bin", "TERM=xterm"]
  }

  /// Words, the last one incomplete, and the candidates for it.
  private static let cases: [(words: [String], candidates: [String])] = [
    (["secr"], ["secrets"]), (["s"], ["secrets", "settings"]), (["--v"], ["--version"]),
    (["secrets", "sl"], ["slots"]), (["secrets", "slots", "re"], ["remove", "rename"]),
    (["secrets", "li", ""], []), (["help", "secrets", "g"], ["get"]), (["help", "doctor", ""], []),
    (["secrets", "list", "--s"], ["--service", "--store", "--state", "--shared"]),
    (["secrets", "list", "--service", "x", "--se"], []),
    (["settings", "get", "--file", "a.json", "--fi"], ["--file"]),
    (["settings", "get", "--environment"], ["--environment"]),
    (["secrets", "list", "--store", "d"], ["desktop"]),
    (["secrets", "set", "--require", ""], ["password", "presence"]),
    (["secrets", "slots", "add", "k"], ["key-file"]),
    (["secrets", "slots", "add", "--name", "x", "pa"], ["passphrase"]),
    (["secrets", "slots", "add", "device", "pa"], []),
    (["completions", "z"], ["zsh"]), (["run", "--en"], ["--env"]),
    (["migrate", "env", "export."], [":files"]), (["secrets", "get", "--vault", "e"], [":files"]),
    (["secrets", "get", "--state", "e"], [":directories"]), (["run", "--", "tru"], [":commands"]),
    (["run", "--env", "A=b", "--", "true", "e"], [":files"]), (["unknown", ""], []),
    (["secrets", "set", "--require=p"], ["--require=password", "--require=presence"]),
    // As bash passes it.
    (["secrets", "set", "--require", "=", "pas"], ["password"]),
    (["secrets", "get", "--vault", "="], [":files"]),
  ]

  @Test func candidatesAreThoseOfTheTable() throws {
    for (words, expected) in Self.cases {
      let input = words.map { "\($0)\0" }.joined()
      let ended = try machine.run(["completions", "candidates"], input: input)
      #expect(ended.status == 0 && ended.errors == "")
      let candidates = ended.output.split(separator: "\n").map { line in
        String(line.prefix { $0 != "\t" })
      }
      #expect(candidates.filter { !$0.hasPrefix(":") } == expected.filter { !$0.hasPrefix(":") })
      #expect(candidates.contains { $0.hasPrefix(":") } == expected.contains { $0.hasPrefix(":") })
    }
  }

  @Test func everyCommandAndOptionIsOffered() throws {
    let overview = try machine.run("help").output
    let commands = overview.split(separator: "\n").filter { $0.hasPrefix("  ") }
    #expect(commands.count > 35)
    for line in commands {
      // The name is followed by parameters in upper case, or two spaces.
      let name = line.dropFirst(2).split(separator: " ", omittingEmptySubsequences: false)
        .prefix { !$0.isEmpty && $0 != "--" && $0.lowercased() == $0 }.map(String.init)
      let words = (name + ["-"]).map { "\($0)\0" }.joined()
      let offered = try machine.run(["completions", "candidates"], input: words).output
      let help = try machine.run(["help"] + name, input: "").output
      for line in help.split(separator: "\n\n")[2...].joined(separator: "\n").split(separator: "\n")
      {
        let word = line.drop { $0 == " " }.prefix { $0 != " " }
        if line.hasPrefix("  -"), word != "--" { #expect(offered.contains("\(word)\t"), "\(name)") }
      }
    }
  }

  @Test func wrongInputIsRefused() throws {
    #expect(try machine.run("completions", "tcsh").status == 2)
    for input in ["", "\0", "a", "\u{1}\0\0", String(repeating: "x\0", count: 100_000)] {
      #expect(try machine.run(["completions", "candidates"], input: input).status == 0)
    }
  }

  @Test(.enabled(if: Tool.bash.isUsable, Tool.bash.comment))
  func bashCompletesAtTheTabulator() throws {
    let session = try PseudoTerminal(
      ["/bin/bash", "--norc", "--noprofile", "-i"],
      environment: environment + ["PS1=$ "])
    try session.type(
      "cd; bind 'set bell-style none'; eval \"$(locket completions bash)\"; echo rea''dy\n")
    try session.waitForText("ready\r\n")
    try type("locket secr\tli\t--js\t", in: session)
    #expect(session.screen.contains("locket secrets list --json "), "\(session.screen)")
    try type("locket migrate env expo\t", in: session)
    #expect(session.screen.contains("locket migrate env export"), "\(session.screen)")
    try type("locket secrets get --state exports\t", in: session)
    #expect(session.screen.contains("--state exports/"), "\(session.screen)")
    try type("locket secrets set --require=pre\t", in: session)
    #expect(session.screen.contains("--require=presence"), "\(session.screen)")
    try session.type("exit 0\n")
    #expect(try session.end() == 0)
  }

  @Test(.enabled(if: Tool.zsh.isUsable, Tool.zsh.comment))
  func zshCompletesAtTheTabulator() throws {
    let session = try PseudoTerminal(
      ["/usr/bin/zsh", "-f", "-i"], environment: environment + ["PS1=$ "])
    try session.type(
      "cd; unsetopt beep; autoload -U compinit && compinit -u; eval \"$(locket completions zsh)\"; echo rea''dy\n"
    )
    try session.waitForText("ready\r\n")
    try type("locket secr\tli\t--js\t", in: session)
    #expect(
      session.screen.contains("secrets") && session.screen.contains("--json"), "\(session.screen)")
    try type("locket secrets get --state=exp\t", in: session)
    #expect(session.screen.contains("--state=exports"), "\(session.screen)")
    try type("locket secrets set --require=pre\t", in: session)
    #expect(session.screen.contains("--require=presence"), "\(session.screen)")
    try session.type("exit 0\n")
    #expect(try session.end() == 0)
  }

  /// Types a line into a shell, and waits until it was run.
  private func type(_ line: String, in session: PseudoTerminal) throws {
    let count = session.screen.ranges(of: "end\r\n").count
    // The output of the command is not in what the shell echoes.
    try session.type("\(line); echo en''d\n")
    try session.wait(for: "the end of \(line)") { $0.ranges(of: "end\r\n").count > count }
  }

  @Test(.enabled(if: Tool.fish.isUsable, Tool.fish.comment))
  func fishCompletesWhatIsTyped() throws {
    let script = #"""
      cd
      locket completions fish | source
      for line in 'locket secr' 'locket secrets sl' 'locket secrets set --require=pre' \
          'locket secrets set --require pre' 'locket secrets get --vault=expo' \
          'locket secrets get --state expo' 'locket migrate env expo' 'locket run -- tru'
        echo "> $line"
        complete -C $line | string replace -r '\t.*' ''
      end
      """#
    let ended = try machine.run(
      ["/usr/bin/fish", "--no-config", "-c", script], input: "", environment: environment)
    let answers = ended.output.split(separator: "> ").map {
      $0.split(separator: "\n").map(String.init)
    }
    #expect(answers.count == 8 && ended.status == 0, "\(ended)")
    let expected = [
      ["secrets"], ["slots"], ["--require=presence"], ["presence"],
      ["--vault=export.file", "--vault=exports/"], ["exports/"], ["export.file", "exports/"],
    ]
    for (answer, candidates) in zip(answers, expected) {
      #expect(Array(answer.dropFirst()) == candidates, "\(answer)")
    }
    #expect(answers[7].contains("true"))
  }
}
