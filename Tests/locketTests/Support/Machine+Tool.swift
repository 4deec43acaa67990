import FoundationEssentials
import SecretStorage
import TestSupport

// A machine that runs `locket`.
extension Machine {
  convenience init() throws {
    ExpectedFailures.begin()
    try self.init(program: "locket")
  }

  var settingsFile: URL { home.appending(path: ".config/locket/settings.json") }

  /// Runs the tool, returns its output, and throws unless it succeeds without a message.
  @discardableResult
  func output(_ words: String, _ others: String..., input: String = "") throws -> String {
    try run(words.words + others, input: input).success
  }

  /// Stores a secret by the tool, as text, so that it says nothing of numbers.
  func store(_ secret: String, _ words: String, _ others: String...) throws {
    _ = try run("secrets set --type text \(words)".words + others, input: secret).success
  }

  /// Sets one of the tool's own settings by it.
  func set(_ key: String, to value: String) throws { try output("settings set --", key, value) }

  /// Makes a key file the only key of the vault, and returns its path.
  func lockByKeyFile() throws -> String {
    let key = try file("key", String(repeating: "key file ", count: 8))
    let vault = vault
    try vault.addSlot(.keyFile(URL(filePath: key)), named: "key file")
    try vault.removeSlot(1)
    return key
  }
}

extension Ended {
  /// The output; throws if the tool failed or printed a message.
  var success: String {
    get throws {
      guard status == 0, errors == "" else { throw Unexpected(what: "\(self)") }
      return output
    }
  }
}

struct Unexpected: Error {
  let what: String
}
