extension Command {
  /// The word before the name of a command that explains it.
  static let helpWord = "help"

  /// Returns the help page of a command or a group; that of all commands for no words.
  static func help(on words: [String]) throws(UsageError) -> String {
    if words.isEmpty || words == [helpWord] { return overview() }
    if let command = named(words), command.words == words { return command.usage }
    if words.count == 1, !members(of: words[0]).isEmpty { return overview(of: words[0]) }
    throw unknown(words)
  }

  /// Returns the commands of a group, such as `secrets`.
  static func members(of group: String) -> [Command] {
    all.filter { $0.words.count > 1 && $0.words.first == group }
  }

  /// Returns a list of the commands of a group, or of all commands.
  private static func overview(of group: String) -> String {
    """
    Usage: locket \(group) <command> [options]

    \(table(members(of: group).map { ($0.synopsis(), $0.summary) }))

    `locket \(helpWord) \(group) <command>` explains a command and its options.
    """
  }

  static func overview() -> String {
    """
    Usage: locket <command> [options]

    \(table(all.map { ($0.synopsis(), $0.summary) }))

    `locket \(helpWord) <command>` explains a command and its options, and `locket --version` prints the
    version.
    \(statuses)
    """
  }

  static let statuses = """
    The exit status is 0 on success, 1 if a secret, a setting or a password is absent or refused, and
    2 on an error, which is printed on standard error.
    """

  private func synopsis(_ options: [String] = []) -> String {
    let rest = rest.map { ["--", "\($0.name)…"] } ?? []
    return ([name] + parameters.map(\.name) + options + rest).joined(separator: " ")
  }

  /// The help page of this command.
  private var usage: String {
    let usage = "Usage: locket \(synopsis(allOptions.isEmpty ? [] : ["[options]"]))"
    var sections = [usage, summary]
    let arguments = (parameters + [rest].compactMap { $0 }).map { ($0.name, $0.help) }
    let rows = arguments + allOptions.map { ($0.synopsis, $0.help) }
    if !rows.isEmpty { sections.append(Self.table(rows)) }
    if !fields.isEmpty {
      sections.append(
        "\(Field.introduction)\n\n\(Self.table(fields.map { ($0.name, $0.help) }))")
    }
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

extension Command {
  /// Returns the error for words that match no command.
  static func unknown(_ words: [String]) -> UsageError {
    let group = words.first.flatMap { members(of: $0).isEmpty ? nil : $0 }
    let hint =
      group.map { "`locket \(helpWord) \($0)` lists its commands." }
      ?? "`locket \(helpWord)` lists the commands."
    if let group, words.count == 1 {
      return UsageError("`locket \(group)` needs a command.", hint: hint)
    }
    if words.first?.hasPrefix("-") ?? false {
      return UsageError("Write options after the command.", hint: hint)
    }
    let names = suggestions(for: words).map { "`locket \($0)`" }
    let advice = names.isEmpty ? "" : " Did you mean \(names.joined(separator: " or "))?"
    return UsageError("There is no such command.\(advice)", hint: hint)
  }

  /// Returns the names of the most similar commands, or those that lack the name of their group.
  private static func suggestions(for words: [String]) -> [String] {
    // The words of a command are compared with as many typed ones.
    let groups = words.count == 1 ? all.map { $0.words[0] } : []
    let distances = (all.map(\.name) + groups + [helpWord]).map { name in
      let count = name.split(separator: " ").count
      return (name, distance: words.prefix(count).joined(separator: " ").distance(to: name))
    }
    if let nearest = distances.min(by: { $0.distance < $1.distance }), nearest.distance <= 2 {
      return [nearest.0]
    }
    let ungrouped = all.filter { $0.words.count > 1 && words.starts(with: $0.words.dropFirst()) }
    let longest = ungrouped.map(\.words.count).max()
    return ungrouped.filter { $0.words.count == longest }.map(\.name)
  }
}
