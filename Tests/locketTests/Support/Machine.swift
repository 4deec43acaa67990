import CLibrary
import FoundationEssentials
import SecretStorage
import TestSupport

/// A home directory of one test, and the tool that runs in it.
final class Machine: Sendable {
  private let directory: TemporaryDirectory
  var home: URL { directory.url }

  init() throws {
    directory = try TemporaryDirectory()
  }

  var vaultFile: URL { home.appending(path: ".local/share/locket/secrets.vault") }
  var settingsFile: URL { home.appending(path: ".config/locket/settings.json") }
  var state: URL { home.appending(path: ".local/state/locket", directoryHint: .isDirectory) }

  /// The vault, as an app would open it.
  var vault: SecretVault { SecretVault(fileURL: vaultFile, stateDirectory: state) }

  var environment: [String] {
    [
      "HOME=\(directory.path)", "TMPDIR=\(directory.path)", "PATH=/usr/bin:/bin", "TERM=dumb",
      // On a terminal, the runtime would answer SIGQUIT with a backtrace and questions about it.
      "SWIFT_BACKTRACE=enable=no",
    ]
  }

  static let executable: String = {
    do {
      return try ChildProcess.path(ofExecutable: "locket")
    } catch {
      fatalError("The directory of the tests is unknown: \(error)")
    }
  }()

  /// Makes a file in the home directory, and returns its path.
  func file(_ name: String, _ content: String) throws -> String {
    try Data(content.utf8).write(to: home.appending(path: name))
    return path(name)
  }

  /// The path of a name in the home directory.
  func path(_ name: String) -> String { directory(name) }

  func text(_ name: String) throws -> String {
    String(decoding: try content(of: path(name)), as: UTF8.self)
  }

  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

  /// Runs the tool to its end, without a terminal.
  ///
  /// The first argument is split at its spaces.
  func run(_ words: String, _ others: String..., input: String = "") throws -> Ended {
    try run(words.words + others, input: input)
  }

  func run(_ arguments: [String], input: String = "") throws -> Ended {
    try run([Self.executable] + arguments, input: input, environment: environment)
  }

  /// Runs a script of the shell, whose `$0` is the tool, in the home directory.
  func shell(_ script: String) throws -> Ended {
    try run(
      ["/bin/sh", "-c", "cd \"$HOME\"; \(script)", Self.executable], environment: environment)
  }

  /// Runs any program to its end.
  func run(_ words: [String], input: String = "", environment: [String]) throws -> Ended {
    let name = UUID().uuidString
    let process = try StartedProcess.spawn(
      words, environment: environment,
      files: [
        (try file("\(name).in", input), O_RDONLY), (path("\(name).out"), O_WRONLY | O_CREAT),
        (path("\(name).err"), O_WRONLY | O_CREAT),
      ])
    return Ended(
      status: try StartedProcess.wait(for: process), output: try text("\(name).out"),
      errors: try text("\(name).err"))
  }

  /// Runs the tool, returns its output, and throws unless it succeeds without a message.
  @discardableResult
  func output(_ words: String, _ others: String..., input: String = "") throws -> String {
    try run(words.words + others, input: input).success
  }

  /// Stores a secret by the tool.
  func store(_ secret: String, _ words: String, _ others: String...) throws {
    _ = try run("secrets set \(words)".words + others, input: secret).success
  }

  /// Sets one of the tool's own settings by it.
  func set(_ key: String, to value: String) throws {
    try output("settings set --", key, value)
  }

  /// Gives the vault a passphrase of the lowest cost, and returns the path of a file with it.
  func lock(with passphrase: String = "totoro") throws -> String {
    try vault.setPassphrase(Secret(passphrase.utf8), cost: .minimum)
    return try file("passphrase", passphrase + "\n")
  }

  /// Makes a key file the only key of the vault, and returns its path.
  func lockByKeyFile() throws -> String {
    let key = try file("key", String(repeating: "key file ", count: 8))
    let vault = vault
    try vault.addSlot(.keyFile(URL(filePath: key)), named: "key file")
    try vault.removeSlot(1)
    return key
  }
}

extension String {
  /// The parts between spaces.
  var words: [String] { split(separator: " ").map(String.init) }
}

/// How a run of the tool ended.
struct Ended {
  /// The exit status, or the signal as a negative number.
  let status: Int32
  let output: String
  let errors: String

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

extension PseudoTerminal {
  convenience init(_ words: [String], on machine: Machine) throws {
    try self.init(words, environment: machine.environment)
  }

  /// Starts the tool, with arguments as for `Machine.run`.
  convenience init(_ words: String, _ others: String..., on machine: Machine) throws {
    try self.init([Machine.executable] + words.words + others, on: machine)
  }
}
