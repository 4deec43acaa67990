import KeyValueStorage
import SecretMigration
import SecretStorage
import ValueFormats

/// A command of the tool.
struct Command: Sendable {
  /// The words that select the command, such as `secrets get`.
  let name: String
  /// The parameters, which are all required, in this order.
  var parameters: [Parameter] = []
  let summary: String
  var options: [Option] = []
  /// The text below the options on the help page.
  var notes = ""
  /// The error message for an argument that is neither an option nor a parameter.
  var excessArgument = "Too many arguments. Quote an argument that contains spaces."
  let run: @Sendable (Arguments) async throws -> ExitStatus
}

/// An option of a command: `--name VALUE` or `--name`, or `-n` if the name is a single letter.
struct Option: Hashable, Sendable {
  let name: String
  /// The name of the value in the help; nil if the option does not take a value.
  let placeholder: String?
  let help: String
  let isRepeatable: Bool

  init(_ name: String, _ placeholder: String? = nil, _ help: String, isRepeatable: Bool = false) {
    self.name = name
    self.placeholder = placeholder
    self.help = help
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

  init(_ name: String, _ help: String) {
    self.name = name
    self.help = help
  }
}

extension Command {
  static let all: [Command] = [
    .listSecrets, .getSecret, .setSecret, .deleteSecret, .passphrase,
    .listSlots, .addSlot, .removeSlot, .renameSlot, .changeSlot, .rotate, .export, .import,
    .verify, .repair, .acceptRollback, .acceptReplacement, .removeDamaged,
    .migrateLibsecret, .migrateKeychain, .migrateEnvironment, .migrateAdapters, .migrateDefaults,
    .getSetting, .setSetting, .listSettings, .resetSetting, .watchSettings, .moveSettingsAside,
    .checkPassword, .generatePasswords, .compareRules, .explainRules, .canonicalRules,
    .countPasswords, .doctor,
  ]

  static func run(_ words: [String]) async throws -> ExitStatus {
    guard let first = words.first, !isHelp(first) else {
      try Output.line(overview())
      return .done
    }
    // The longest match, because `secrets slots` is also the beginning of `secrets slots add`.
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
      } catch let error as SecretStoreError {
        throw Failure(error.text(for: arguments))
      } catch MigrationError.store(let error) {
        throw Failure(error.text(for: arguments))
      }
    } catch var error as UsageError {
      error.usage = command.usage
      throw error
    }
  }

  /// Returns the error for words that match no command, with the most similar command.
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

  /// Returns a list of the commands of a group, or of all commands if there is no such group.
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
      The exit status is 0 on success; 1 if a secret, a setting, or the file of --vault or --file does
      not exist, or if a password or a secret is refused; and 2 on an error. Standard error says why.
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
