/// Something that a command may be told, as `--name VALUE`, or `--name` where it takes no value.
struct Option: Hashable, Sendable {
  let name: String
  /// What stands for the value in the help; nil when there is none.
  let placeholder: String?
  let help: String

  init(_ name: String, _ placeholder: String? = nil, _ help: String) {
    self.name = name
    self.placeholder = placeholder
    self.help = help
  }

  var synopsis: String { placeholder.map { "--\(name) \($0)" } ?? "--\(name)" }
}
