import FoundationEssentials
import SecretStorage

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// A home directory of one test, and the executable that runs in it.
final class Machine: Sendable {
  let home: URL

  init() throws {
    home = FileManager.default.temporaryDirectory
      .appending(path: "locket-example-\(UUID())", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
  }

  deinit {
    do {
      try FileManager.default.removeItem(at: home)
    } catch {
      fatalError("\(home.path) cannot be removed: \(error)")
    }
  }

  /// Where the executable puts temporary files.
  var temporary: URL { home.appending(path: "tmp", directoryHint: .isDirectory) }
  var vaultFile: URL { home.appending(path: ".local/share/Example/secrets.vault") }
  var settingsFile: URL { home.appending(path: ".config/Example/settings.json") }
  var state: URL { home.appending(path: ".local/state/Example", directoryHint: .isDirectory) }

  /// The vault, as an app would open it.
  var vault: SecretVault { SecretVault(fileURL: vaultFile, stateDirectory: state) }

  var environment: [String] {
    [
      "HOME=\(home.path)", "TMPDIR=\(temporary.path)", "PATH=/usr/bin:/bin", "TERM=dumb",
      // On a terminal, the runtime would answer SIGQUIT with a backtrace and questions about it.
      "SWIFT_BACKTRACE=enable=no",
    ]
  }

  /// The environment with other variables in the place of those of the same names.
  func environment(with variables: [String]) -> [String] {
    let names = variables.map { $0.prefix { $0 != "=" } }
    return environment.filter { !names.contains($0.prefix { $0 != "=" }) } + variables
  }

  /// The executable, which is built beside the tests.
  static let executable: String = {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    // The kernel writes at most as many characters as it is told.
    let count = unsafe readlink("/proc/self/exe", &path, path.count)
    let own = String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return URL(filePath: own).deletingLastPathComponent().appending(path: "Example").path
  }()

  /// Makes a file in the home directory, and returns its path.
  func file(_ name: String, _ content: String) throws -> String {
    try Data(content.utf8).write(to: home.appending(path: name))
    return path(name)
  }

  /// The path of something in the home directory.
  func path(_ name: String) -> String { home.appending(path: name).path }

  func text(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: home.appending(path: name)), as: UTF8.self)
  }

  /// Runs the executable to its end, without a terminal.
  func run(_ arguments: String..., input: String = "") throws -> Ended {
    try run(arguments, input: input)
  }

  func run(_ arguments: [String], input: String) throws -> Ended {
    try run([Self.executable] + arguments, input: input, environment: environment)
  }

  /// Runs a script of the shell, whose `$0` is the executable, in the home directory.
  func shell(_ script: String) throws -> Ended {
    try run(
      ["/bin/sh", "-c", "cd \"$HOME\"; \(script)", Self.executable], input: "",
      environment: environment)
  }

  /// Runs any program to its end.
  func run(_ words: [String], input: String, environment: [String]) throws -> Ended {
    let name = UUID().uuidString
    let inputPath = try file("\(name).in", input)
    let (output, errors) = (
      home.appending(path: "\(name).out"), home.appending(path: "\(name).err")
    )
    let process = try Child.spawn(
      words, environment: environment,
      files: [
        (inputPath, O_RDONLY), (output.path, O_WRONLY | O_CREAT), (errors.path, O_WRONLY | O_CREAT),
      ])
    let status = try Child.wait(for: process)
    return Ended(
      status: status, output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
      errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
  }

  /// Stores a secret by the executable.
  func store(_ secret: String, _ arguments: String...) throws {
    let ended = try run(["secrets", "set"] + arguments, input: secret)
    guard ended.status == .exited(0) else { throw Unexpected(what: "\(ended)") }
  }

  /// Sets a setting of the executable's own by it.
  func set(_ key: String, to value: String) throws {
    let ended = try run("settings", "set", "--", key, value)
    guard ended.status == .exited(0) else { throw Unexpected(what: "\(ended)") }
  }

  /// Gives the vault a passphrase by the executable, and returns the path of a file with it.
  func lock(with passphrase: String = "totoro") throws -> String {
    let path = try file("passphrase", passphrase + "\n")
    let ended = try run("secrets", "passphrase", "--new-passphrase-file", path)
    guard ended.status == .exited(0) else { throw Unexpected(what: "\(ended)") }
    return path
  }
}

/// How a run of the executable ended.
struct Ended {
  let status: Child.Status
  let output: String
  let errors: String
}

struct Unexpected: Error {
  let what: String
}
