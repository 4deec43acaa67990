import KeyValueStorage

/// Something that the program can do.
struct Command: Sendable {
  /// What the person writes, such as `secrets get`.
  let name: String
  /// What it takes beside the options, each exactly once and in this order.
  var parameters: [Parameter] = []
  let summary: String
  var options: [Option] = []
  /// What the help says beyond the options.
  var notes = ""
  /// Why an argument is refused that is neither an option nor a parameter.
  var refusal = "There is an argument too many. One that has spaces in it needs quotation marks."
  /// Whether the program alone uses it.
  var isHidden = false
  let run: @Sendable (Arguments) async throws -> ExitStatus
}

extension Command {
  private static let all: [Command] = [
    .tour, .tourReader, .signUp,
    .listSecrets, .getSecret, .setSecret, .deleteSecret, .passphrase,
    .listSlots, .addSlot, .removeSlot, .renameSlot, .changeSlot, .rotate, .export, .import,
    .verify, .repair, .acceptRollback, .acceptReplacement,
    .migrateCryptFile, .migrateLibsecret, .migrateKeychain, .migrateEnvironment,
    .migrateAdapters, .migrateDefaults,
    .getSetting, .setSetting, .listSettings, .resetSetting, .watchSettings, .moveSettingsAside,
    .checkPassword, .generatePasswords, .compareRules, .explainRules, .canonicalRules,
    .countPasswords,
    .doctor,
  ]

  static func run(_ words: [String]) async throws -> ExitStatus {
    guard let first = words.first else { return try await tour.run(Arguments([], for: tour)) }
    if isHelp(first) {
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
      throw UsageError("There is no such command.", usage: overview(of: first))
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

  private static func isHelp(_ word: String) -> Bool { word == "--help" || word == "-h" }

  private var words: [String] { name.split(separator: " ").map(String.init) }

  private var synopsis: String { ([name] + parameters.map(\.name)).joined(separator: " ") }

  /// The commands, one line each: those of a group, or all if there is no such group.
  static func overview(of group: String? = nil) -> String {
    let shown = all.filter { !$0.isHidden }
    let members = shown.filter { $0.words.count > 1 && $0.words.first == group }
    if let group, !members.isEmpty {
      return """
        Usage: Example \(group) [command] [options]

        \(table(members.map { ($0.synopsis, $0.summary) }))

        `Example \(group) <command> --help` tells a command's options.
        """
    }
    return """
      Usage: Example [command] [options]

      \(table(shown.map { ($0.synopsis, $0.summary) }))

      Without a command, the tour. `Example <command> --help` tells a command's options.
      The exit status is 0, 1 when what was asked for is absent, refused or not saved, and 2 when
      something could not be done, for the reason on standard error.
      """
  }

  /// How to use this command.
  var usage: String {
    var sections = ["Usage: Example \(synopsis)\(options.isEmpty ? "" : " [options]")", summary]
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
