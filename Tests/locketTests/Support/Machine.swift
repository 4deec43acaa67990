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

  /// Runs the tool to its end, without a terminal.
  func run(_ arguments: String..., input: String = "") throws -> Ended {
    try run(arguments, input: input)
  }

  func run(_ arguments: [String], input: String) throws -> Ended {
    try run([Self.executable] + arguments, input: input, environment: environment)
  }

  /// Runs a script of the shell, whose `$0` is the tool, in the home directory.
  func shell(_ script: String) throws -> Ended {
    try run(
      ["/bin/sh", "-c", "cd \"$HOME\"; \(script)", Self.executable], input: "",
      environment: environment)
  }

  /// Runs any program to its end.
  func run(_ words: [String], input: String, environment: [String]) throws -> Ended {
    let name = UUID().uuidString
    let (output, errors) = (path("\(name).out"), path("\(name).err"))
    let process = try StartedProcess.spawn(
      words, environment: environment,
      files: [
        (try file("\(name).in", input), O_RDONLY), (output, O_WRONLY | O_CREAT),
        (errors, O_WRONLY | O_CREAT),
      ])
    return Ended(
      status: try StartedProcess.wait(for: process), output: try text("\(name).out"),
      errors: try text("\(name).err"))
  }

  /// Runs the tool, and throws unless it succeeds.
  func succeed(_ arguments: String..., input: String = "") throws {
    let ended = try run(arguments, input: input)
    guard ended.status == 0 else { throw Unexpected(what: "\(ended)") }
  }

  /// Stores a secret by the tool.
  func store(_ secret: String, _ arguments: String...) throws {
    let ended = try run(["secrets", "set"] + arguments, input: secret)
    guard ended.status == 0 else { throw Unexpected(what: "\(ended)") }
  }

  /// Sets one of the tool's own settings by it.
  func set(_ key: String, to value: String) throws {
    try succeed("settings", "set", "--", key, value)
  }

  /// Gives the vault a passphrase of the lowest cost, and returns the path of a file with it.
  func lock(with passphrase: String = "totoro") throws -> String {
    try vault.setPassphrase(Secret(passphrase.utf8), cost: .minimum)
    return try file("passphrase", passphrase + "\n")
  }
}

/// The directory of the package.
let packageDirectory = URL(filePath: #filePath).deletingLastPathComponent()
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

/// How a run of the tool ended.
struct Ended {
  /// The exit status, or the signal as a negative number.
  let status: Int32
  let output: String
  let errors: String
}

struct Unexpected: Error {
  let what: String
}

extension PseudoTerminal {
  convenience init(_ words: [String], on machine: Machine) throws {
    try self.init(words, environment: machine.environment)
  }

  convenience init(_ arguments: String..., on machine: Machine) throws {
    try self.init([Machine.executable] + arguments, on: machine)
  }

  /// Whether the terminal has the settings of before.
  var isGivenBack: Bool { settings == settingsBefore }
}
