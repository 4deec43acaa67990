extension Command {
  static let completions = Command(
    name: "completions",
    parameters: [Parameter("SHELL", "bash, zsh or fish", choices: CompletionScript.shells)],
    summary: "Prints a script that completes commands and options in a shell.",
    notes: """
      Commands that install the script:
        bash  eval "$(locket completions bash)" in ~/.bashrc
        zsh   locket completions zsh >_locket, in a directory of $fpath
        fish  locket completions fish >~/.config/fish/completions/locket.fish
      """
  ) { arguments in
    guard let script = CompletionScript.text(for: arguments.parameters[0]) else {
      throw UsageError("SHELL must be bash, zsh or fish.")
    }
    try Output.line(script)
    return .done
  }

  static let completionCandidates = Command(
    name: "completions candidates",
    summary: "For the scripts: prints the possible words at the cursor.",
    notes: """
      Standard input contains the words after the name of the program, up to the one at the cursor,
      each followed by a zero byte: unlike arguments, other users cannot read it. Each line is a word, a
      tab and an explanation, or :files, :directories or :commands, which the shell itself completes.
      """
  ) { _ in
    let words = try SecretInput.standardInput().text ?? ""
    // The last zero byte is followed by nothing.
    for candidate in Candidate.all(
      for: words.split(separator: "\0", omittingEmptySubsequences: false)
        .dropLast().map(String.init))
    {
      try Output.line(candidate.line)
    }
    return .done
  }
}

/// A word that may stand at the cursor, or a kind of words that the shell knows.
enum Candidate: Equatable {
  case word(String, help: String)
  case files
  case directories
  case commands

  fileprivate var line: String {
    switch self {
    case .word(let word, let help): "\(word)\t\(help)"
    case .files: ":files"
    case .directories: ":directories"
    case .commands: ":commands"
    }
  }

  /// Returns the candidates for the last word, which may be empty.
  static func all(for words: [String]) -> [Candidate] {
    // bash makes a word of each equals sign.
    let words = words.last == "=" ? words.filter { $0 != "=" } + [""] : words.filter { $0 != "=" }
    guard let current = words.last else { return [] }
    var before = Array(words.dropLast())
    let isForHelp = before.first == Command.helpWord
    if isForHelp { before.removeFirst() }
    var candidates = names(after: before, isForHelp: isForHelp)
    if let command = Command.named(before), !isForHelp {
      let rest = before.dropFirst(command.words.count)
      candidates += arguments(of: command, after: rest, current: current)
    }
    return candidates.filter { candidate in
      if case .word(let word, _) = candidate { word.hasPrefix(current) } else { true }
    }
  }

  /// Returns the next words of the names of commands.
  private static func names(after before: [String], isForHelp: Bool) -> [Candidate] {
    var candidates: [Candidate] = []
    var seen: Set<String> = []
    for command in Command.all {
      let words = command.words
      guard words.count > before.count, words.starts(with: before),
        seen.insert(words[before.count]).inserted
      else { continue }
      let isWhole = words.count == before.count + 1
      let group = (before + [words[before.count]]).joined(separator: " ")
      candidates.append(
        .word(words[before.count], help: isWhole ? command.summary : "The commands of \(group)."))
    }
    if before.isEmpty, !isForHelp {
      candidates += [
        .word(Command.helpWord, help: "Explains a command."),
        .word("--help", help: "Lists the commands."),
        .word("--version", help: "Prints the version."),
      ]
    }
    return candidates
  }

  /// Returns the options and parameters of a command that may follow its arguments so far.
  private static func arguments(
    of command: Command, after before: ArraySlice<String>, current: String
  ) -> [Candidate] {
    var count = 0
    var given: Set<Option> = []
    var words = before.makeIterator()
    while let word = words.next() {
      if word == "--" {
        let rest = Array(IteratorSequence(words))
        if command.rest != nil { return rest.isEmpty ? [.commands] : [.files] }
        return parameter(count + rest.count, of: command)
      }
      guard let option = option(word, of: command) else {
        count += 1
        continue
      }
      given.insert(option)
      guard option.placeholder != nil, !word.contains("=") else { continue }
      if words.next() == nil { return values(option.choices, option.placeholder) }
    }
    if let option = option(current, of: command), option.placeholder != nil, current.contains("=") {
      return values(option.choices, option.placeholder, prefix: "\(option.flag)=")
    }
    let options = command.allOptions.filter { $0.isRepeatable || !given.contains($0) }
      .map { Candidate.word($0.flag, help: $0.help) }
    let flags = options + [.word("--help", help: "Explains the command.")]
    if command.rest != nil { return flags + [.word("--", help: "The command to run follows.")] }
    return current.hasPrefix("-") ? flags : parameter(count, of: command) + flags
  }

  private static func option(_ word: String, of command: Command) -> Option? {
    let flag = word.prefix { $0 != "=" }
    return command.allOptions.first { $0.flag == flag }
  }

  private static func parameter(_ index: Int, of command: Command) -> [Candidate] {
    guard index < command.parameters.count else { return [] }
    return values(command.parameters[index].choices, command.parameters[index].name)
  }

  private static func values(
    _ choices: [String], _ name: String?, prefix: String = ""
  ) -> [Candidate] {
    switch name {
    case "FILE": [.files]
    case "DIRECTORY": [.directories]
    default: choices.map { .word(prefix + $0, help: "") }
    }
  }
}
