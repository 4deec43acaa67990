import FoundationEssentials
import ValueFormats

/// The arguments of one run of a command.
struct Arguments {
  /// The positional arguments, exactly as many as the command has parameters.
  private(set) var parameters: [String] = []
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
        parameters += IteratorSequence(words)
        break
      }
      let isOption = word.hasPrefix("--")
      guard isOption || command.options.contains(where: { $0.flag == word }) else {
        parameters.append(word)
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let option = command.options.first(where: { $0.flag == parts[0] }) else {
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
  }

  /// Returns the error for an option that the command does not have.
  ///
  /// A word with anything but lowercase letters and hyphens is not quoted, because it may be a
  /// secret.
  private static func unknown(_ word: String, for command: Command) -> UsageError {
    let name = word.dropFirst(2)
    let isName = name.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "-") }
    let typed = isName && !name.isEmpty ? "`\(word)`" : "of that name"
    var advice =
      command.parameters.isEmpty
      ? "" : " Write `--` before an argument that begins with hyphens."
    let distances = command.options.map { (option: $0, distance: name.distance(to: $0.name)) }
    if let nearest = distances.min(by: { $0.distance < $1.distance }),
      nearest.distance <= 2 || nearest.option.name.first == name.first
    {
      advice = " Did you mean `\(nearest.option.flag)`?"
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

  /// Returns the failure for an option whose file does not exist; nil if it does or was not given.
  func missingFile(_ option: Option) -> Failure? {
    guard let path = self[option], !FileManager.default.fileExists(atPath: path) else { return nil }
    return Failure("\(path) does not exist.", status: .absent)
  }
}
