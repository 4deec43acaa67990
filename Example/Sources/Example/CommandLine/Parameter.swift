/// Something that a command takes by its place among the arguments.
struct Parameter: Sendable {
  let name: String
  let help: String

  init(_ name: String, _ help: String) {
    self.name = name
    self.help = help
  }
}
