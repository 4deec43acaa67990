import KeyValueStorage

/// A command of the tool.
struct Command: Sendable {
  /// The words that select it, such as `secrets get`.
  let name: String
  /// The parameters, each required once and in this order.
  var parameters: [Parameter] = []
  let summary: String
  var options: [Option] = []
  /// Text of the help page below the options.
  var notes = ""
  /// Why an argument is refused that is neither an option nor a parameter.
  var refusal = "There is one argument too many. One that has spaces in it needs quotation marks."
  let run: @Sendable (Arguments) async throws -> ExitStatus
}

/// An option of a command: `--name VALUE`, or `--name` where it takes no value; an option whose
/// name is a single letter has one hyphen.
struct Option: Hashable, Sendable {
  let name: String
  /// The word that stands for the value in the help; nil when there is none.
  let placeholder: String?
  let help: String
  let isRepeatable: Bool

  init(
    _ name: String, _ placeholder: String? = nil, _ help: String, isRepeatable: Bool = false
  ) {
    self.name = name
    self.placeholder = placeholder
    self.help = help
    self.isRepeatable = isRepeatable
  }

  /// The name as it is typed.
  var spelling: String { (name.count == 1 ? "-" : "--") + name }

  var synopsis: String { placeholder.map { "\(spelling) \($0)" } ?? spelling }
}

/// An argument of a command that has a place instead of a name.
struct Parameter: Sendable {
  let name: String
  let help: String

  init(_ name: String, _ help: String) {
    self.name = name
    self.help = help
  }
}

extension Command {
  private static let all: [Command] = [
    .listSecrets, .getSecret, .setSecret, .deleteSecret, .passphrase,
    .listSlots, .addSlot, .removeSlot, .renameSlot, .changeSlot, .rotate, .export, .import,
    .verify, .repair, .acceptRollback, .acceptReplacement, .removeDamaged,
    .migrateCryptFile, .migrateLibsecret, .migrateKeychain, .migrateEnvironment,
    .migrateAdapters, .migrateDefaults,
    .getSetting, .setSetting, .listSettings, .resetSetting, .watchSettings, .moveSettingsAside,
    .checkPassword, .generatePasswords, .compareRules, .explainRules, .canonicalRules,
    .countPasswords,
    .doctor,
  ]

  static func run(_ words: [String]) async throws -> ExitStatus {
    guard let first = words.first, !isHelp(first) else {
      try Output.line(overview())
      return .done
    }
    // The longest name counts: `secrets slots add` is another command than `secrets slots`.
    let command = all.filter { words.starts(with: $0.words) }.max {
      $0.words.count < $1.words.count
    }
    guard let command else {
      if words.count > 1, isHelp(words[1]), all.contains(where: { $0.words.first == first }) {
        try Output.line(overview(of: first))
        return .done
      }
      throw unknown(words)
    }
    let rest = words.dropFirst(command.words.count)
    if rest.prefix(while: { $0 != "--" }).contains(where: isHelp) {
      try Output.line(command.usage)
      return .done
    }
    do {
      let arguments = try Arguments(rest, for: command)
      do {
        return try await command.run(arguments)
      } catch let error as KeyValueStoreError {
        throw Failure(error.text(for: arguments))
      }
    } catch var error as UsageError {
      error.usage = command.usage
      throw error
    }
  }

  /// The error for words that begin no command, with the command that was probably meant.
  private static func unknown(_ words: [String]) -> UsageError {
    let usage = overview(of: words[0])
    if words.count == 1, all.contains(where: { $0.words.first == words[0] }) {
      return UsageError("`locket \(words[0])` needs a command.", usage: usage)
    }
    let names = all.map { command in
      (typed: words.prefix(command.words.count).joined(separator: " "), name: command.name)
    }
    let nearest = names.map { ($0.name, $0.typed.distance(to: $0.name)) }.min { $0.1 < $1.1 }
    let advice = nearest.flatMap { $0.1 <= 2 ? " Did you mean `\($0.0)`?" : nil } ?? ""
    return UsageError("There is no such command.\(advice)", usage: usage)
  }

  private static func isHelp(_ word: String) -> Bool { word == "--help" || word == "-h" }

  private var words: [String] { name.split(separator: " ").map(String.init) }

  private var synopsis: String { ([name] + parameters.map(\.name)).joined(separator: " ") }

  /// The commands, one line each: those of a group, or all if there is no such group.
  static func overview(of group: String? = nil) -> String {
    let members = all.filter { $0.words.count > 1 && $0.words.first == group }
    if let group, !members.isEmpty {
      return """
        Usage: locket \(group) <command> [options]

        \(table(members.map { ($0.synopsis, $0.summary) }))

        `locket \(group) <command> --help` explains a command and its options.
        """
    }
    return """
      Usage: locket <command> [options]

      \(table(all.map { ($0.synopsis, $0.summary) }))

      `locket <command> --help` explains a command and its options.
      The exit status is 0; 1 when the secret or setting is absent, or was refused or not saved; and 2
      when something could not be done, for the reason on standard error.
      """
  }

  /// The help page of this command.
  var usage: String {
    var sections = ["Usage: locket \(synopsis)\(options.isEmpty ? "" : " [options]")", summary]
    let words = parameters.map { ($0.name, $0.help) } + options.map { ($0.synopsis, $0.help) }
    if !words.isEmpty { sections.append(Self.table(words)) }
    if !notes.isEmpty { sections.append(notes) }
    return sections.joined(separator: "\n\n")
  }

  private static func table(_ rows: [(String, String)]) -> String {
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { left, right in
      "  \(left)\(String(repeating: " ", count: width - left.count))  \(right)"
    }.joined(separator: "\n")
  }
}
