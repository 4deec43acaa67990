/// What a command was given.
struct Arguments {
  /// As many as the command takes.
  private(set) var parameters: [String] = []
  /// What each option was given, in the order in which it was.
  private var values: [Option: [String]] = [:]

  /// Takes `--name VALUE`, `--name=VALUE`, `--name` and `-n VALUE`, each at most once unless it is
  /// repeatable, and the parameters of the command, among the options or after `--`.
  init(_ words: some Sequence<String>, for command: Command) throws(UsageError) {
    var words = words.enumerated().makeIterator()
    while let (number, word) = words.next() {
      if word == "--" {
        parameters += IteratorSequence(words).map(\.element)
        break
      }
      let isOption = word.hasPrefix("--")
      guard isOption || command.options.contains(where: { $0.spelling == word }) else {
        parameters.append(word)
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let option = command.options.first(where: { $0.spelling == parts[0] }) else {
        // Its place, not its name, because who typed it may have meant a secret.
        let advice =
          command.parameters.isEmpty ? "" : " If it is meant as it is, write `--` before it."
        throw UsageError(
          "Argument \(number + 1) of `\(command.name)` is no option of it.\(advice)", of: command)
      }
      if values[option] != nil, !option.isRepeatable {
        throw UsageError("\(option.spelling) is given twice.", of: command)
      }
      let attached = parts.count == 2 ? String(parts[1]) : nil
      if option.placeholder == nil {
        if attached != nil { throw UsageError("\(option.spelling) takes no value.", of: command) }
        values[option] = [""]
      } else {
        guard let value = attached ?? words.next()?.element else {
          throw UsageError("\(option.spelling) needs a value.", of: command)
        }
        values[option, default: []].append(value)
      }
    }
    if parameters.count > command.parameters.count {
      throw UsageError(command.refusal, of: command)
    }
    if parameters.count < command.parameters.count {
      throw UsageError("\(command.parameters[parameters.count].name) is missing.", of: command)
    }
  }

  subscript(option: Option) -> String? { values[option]?.first }

  /// The values of an option that may be given several times.
  func all(_ option: Option) -> [String] { values[option] ?? [] }

  func has(_ option: Option) -> Bool { values[option] != nil }

  /// The value of an option that counts something; nil when it was not given.
  func number(_ option: Option, from least: Int) throws(UsageError) -> Int? {
    guard let text = self[option] else { return nil }
    guard let number = Int(text), number >= least else {
      throw UsageError("\(option.spelling) needs a number from \(least) on.")
    }
    return number
  }

  /// The value of an option that names a file or directory.
  func path(_ option: Option) throws(UsageError) -> String? {
    guard let path = self[option] else { return nil }
    if path.isEmpty { throw UsageError("\(option.spelling) needs a path.") }
    return path
  }
}
