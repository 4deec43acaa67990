import KeyValueStorage

/// A command of the tool.
struct Command: Sendable {
  /// The words that select the command, such as `secrets get`.
  let name: String
  /// The positional arguments, which are all required, in this order.
  var parameters: [Parameter] = []
  /// The words after `--`, of which there is at least one; nil if they are parameters too.
  var rest: Parameter?
  let summary: String
  var options: [Option] = []
  /// The fields of a line with `--json`; empty if the command does not list anything.
  var fields: [Field] = []
  /// The text below the options on the help page.
  var notes = ""
  /// The error message for an argument that is neither an option nor a parameter.
  var excessArgument = "Too many arguments. Quote an argument that contains spaces."
  /// The exit status after an error.
  var failureStatus = ExitStatus.failed
  let run: @Sendable (Arguments) async throws -> ExitStatus

  /// The options, including the one that fields imply.
  var allOptions: [Option] { fields.isEmpty ? options : options + [.json] }

  var words: [String] { name.split(separator: " ").map(String.init) }
}

/// An option of a command: `--name VALUE` or `--name`, or `-n` if the name is a single letter.
struct Option: Hashable, Sendable {
  let name: String
  /// The name of the value in the help; nil if the option does not take a value.
  ///
  /// For the values `FILE` and `DIRECTORY`, a shell completes paths.
  let placeholder: String?
  let help: String
  /// The possible values; empty if there are others.
  let choices: [String]
  let isRepeatable: Bool

  init(
    _ name: String, _ placeholder: String? = nil, _ help: String, choices: [String] = [],
    isRepeatable: Bool = false
  ) {
    self.name = name
    self.placeholder = placeholder
    self.help = help
    self.choices = choices
    self.isRepeatable = isRepeatable
  }

  /// The name with its hyphens.
  var flag: String { (name.count == 1 ? "-" : "--") + name }

  var synopsis: String { placeholder.map { "\(flag) \($0)" } ?? flag }
}

/// A positional argument of a command.
struct Parameter: Sendable {
  let name: String
  let help: String
  /// The possible values; empty if there are others.
  let choices: [String]

  init(_ name: String, _ help: String, choices: [String] = []) {
    self.name = name
    self.help = help
    self.choices = choices
  }
}

extension Command {
  /// The table of commands, from which help, suggestions, completions and the manual derive.
  static let all: [Command] = [
    .runProgram,
    .listSecrets, .getSecret, .setSecret, .deleteSecret, .passphrase,
    .listSlots, .addSlot, .removeSlot, .renameSlot, .changeSlot, .rotate, .export, .import,
    .verify, .repair, .acceptRollback, .acceptReplacement, .removeDamaged,
    .migrateCryptFile, .migrateLibsecret, .migrateKeychain, .migrateEnvironment,
    .migrateAdapters, .migrateDefaults,
    .getSetting, .setSetting, .listSettings, .resetSetting, .watchSettings, .moveSettingsAside,
    .checkPassword, .generatePasswords, .compareRules, .explainRules, .canonicalRules,
    .countPasswords, .doctor, .completions, .completionCandidates, .manual,
  ]

  static func run(_ words: [String]) async throws -> ExitStatus {
    if words == ["--version"] {
      try Output.line("locket \(Program.version)")
      return .done
    }
    let command = named(words)
    let arguments = words.dropFirst(command?.words.count ?? 0)
    let isAskingForHelp = arguments.prefix { $0 != "--" }.contains(where: isHelp)
    if words.isEmpty || isAskingForHelp || words[0] == helpWord {
      let topic = words.prefix { !isHelp($0) }
      try Output.line(
        help(on: command?.words ?? Array(topic.first == helpWord ? topic.dropFirst() : topic)))
      return .done
    }
    guard let command else { throw unknown(words) }
    do {
      let arguments = try Arguments(arguments, for: command)
      do {
        return try await command.run(arguments)
      } catch let error as KeyValueStoreError {
        throw Failure(error.text(for: arguments))
      }
    } catch var error as UsageError {
      error.hint = "`locket help \(command.name)` explains the command."
      throw error
    }
  }

  /// Returns the command that words begin with.
  ///
  /// It is the longest one, because `secrets slots` is also the beginning of `secrets slots add`.
  static func named(_ words: [String]) -> Command? {
    all.filter { words.starts(with: $0.words) }.max { $0.words.count < $1.words.count }
  }

  private static func isHelp(_ word: String) -> Bool { word == "--help" || word == "-h" }
}
