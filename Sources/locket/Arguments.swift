/// The arguments of one run of a command.
struct Arguments {
  /// The positional arguments, exactly as many as the command has parameters.
  private(set) var parameters: [String] = []
  /// The words after `--` of a command that runs another one.
  private(set) var rest: [String] = []
  /// The values of each option, in the order given.
  private var values: [Option: [String]] = [:]

  /// Parses options and parameters; parameters may be between options or after `--`.
  ///
  /// An option is `--name VALUE`, `--name=VALUE`, `--name` or `-n VALUE`, at most once unless it is
  /// repeatable.
  init(_ words: some Sequence<String>, for command: Command) throws(UsageError) {
    var words = words.makeIterator()
    while let word = words.next() {
      if word == "--" {
        if command.rest == nil {
          parameters += IteratorSequence(words)
        } else {
          rest += IteratorSequence(words)
        }
        break
      }
      let isOption = word.hasPrefix("--")
      guard isOption || command.allOptions.contains(where: { $0.flag == word }) else {
        parameters.append(word)
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let option = command.allOptions.first(where: { $0.flag == parts[0] }) else {
        throw Self.unknown(String(parts[0]), for: command)
      }
      if values[option] != nil, !option.isRepeatable {
        throw UsageError("\(option.flag) was given twice.")
      }
      let attached = parts.count == 2 ? String(parts[1]) : nil
      if option.placeholder == nil {
        if attached != nil { throw UsageError("\(option.flag) does not take a value.") }
        values[option] = [""]
      } else {
        guard let value = attached ?? words.next() else {
          throw UsageError("\(option.flag) needs a value.")
        }
        values[option, default: []].append(value)
      }
    }
    if parameters.count > command.parameters.count { throw UsageError(command.excessArgument) }
    if parameters.count < command.parameters.count {
      throw UsageError("\(command.parameters[parameters.count].name) is missing.")
    }
    if let parameter = command.rest, rest.first?.isEmpty ?? true {
      throw UsageError("\(parameter.name) is missing: write it after `--`.")
    }
  }

  /// Returns the error for an option that the command does not have.
  ///
  /// A word with anything but lowercase letters and hyphens is not quoted, because it may be a
  /// secret.
  private static func unknown(_ word: String, for command: Command) -> UsageError {
    let name = word.dropFirst(2)
    let isName = name.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "-") }
    if name == Option.store.name, command.options.contains(.vault) {
      return UsageError("`\(command.name)` works only with a vault, so that it has no \(word).")
    }
    let typed = isName && !name.isEmpty ? "`\(word)`" : "of that name"
    var advice =
      command.parameters.isEmpty
      ? "" : " Write `--` before an argument that begins with hyphens."
    let similar = command.allOptions.filter { option in
      option.name.first == name.first || name.distance(to: option.name) <= 2
    }
    if let nearest = similar.min(by: { name.distance(to: $0.name) < name.distance(to: $1.name) }) {
      advice = " Did you mean `\(nearest.flag)`?"
    }
    return UsageError("`\(command.name)` has no option \(typed).\(advice)")
  }

  subscript(option: Option) -> String? { values[option]?.first }

  /// Returns the values of a repeatable option.
  func all(_ option: Option) -> [String] { values[option] ?? [] }

  func has(_ option: Option) -> Bool { values[option] != nil }

  /// Returns the value of a numeric option; nil if it was not given.
  func number(_ option: Option, from minimum: Int) throws(UsageError) -> Int? {
    guard let text = self[option] else { return nil }
    guard let number = Int(text), number >= minimum else {
      throw UsageError("\(option.flag) needs a number of at least \(minimum).")
    }
    return number
  }

  /// Returns the value of an option for a file or directory; nil if it was not given.
  func path(_ option: Option) throws(UsageError) -> String? {
    guard let path = self[option] else { return nil }
    if path.isEmpty { throw UsageError("\(option.flag) needs a path.") }
    return path
  }
}

extension StringProtocol {
  /// Returns the Levenshtein distance, in characters to insert, delete or replace.
  func distance(to other: String) -> Int {
    var row = Array(0...other.count)
    for (line, character) in enumerated() {
      var diagonal = row[0]
      row[0] = line + 1
      for (column, candidate) in other.enumerated() {
        let replaced = diagonal + (character == candidate ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = Swift.min(replaced, row[column] + 1, diagonal + 1)
      }
    }
    return row[other.count]
  }
}
