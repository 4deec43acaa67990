/// Something that a command may be told, as `--name VALUE`, or `--name` where it takes no value; one
/// whose name is a single letter has one hyphen.
struct Option: Hashable, Sendable {
  let name: String
  /// What stands for the value in the help; nil when there is none.
  let placeholder: String?
  let help: String
  /// Whether it may be given several times.
  let isRepeatable: Bool

  init(
    _ name: String, _ placeholder: String? = nil, _ help: String, isRepeatable: Bool = false
  ) {
    self.name = name
    self.placeholder = placeholder
    self.help = help
    self.isRepeatable = isRepeatable
  }

  /// The name as a person writes it.
  var spelling: String { (name.count == 1 ? "-" : "--") + name }

  var synopsis: String { placeholder.map { "\(spelling) \($0)" } ?? spelling }
}
