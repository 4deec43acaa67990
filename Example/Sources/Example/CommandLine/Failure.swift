/// Why a command could not do its work: one or two sentences, without a secret.
struct Failure: Error {
  let reason: String

  init(_ reason: String) {
    self.reason = reason
  }
}

/// What is wrong with the arguments; it quotes none of them, because one may be a secret.
struct UsageError: Error {
  let reason: String
  /// How it is right; nil means all commands.
  var usage: String?

  init(_ reason: String, usage: String? = nil) {
    self.reason = reason
    self.usage = usage
  }

  init(_ reason: String, of command: Command) {
    self.init(reason, usage: command.usage)
  }
}
