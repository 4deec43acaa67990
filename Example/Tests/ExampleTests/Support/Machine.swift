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

  /// Runs the executable to its end, without a terminal.
  func run(_ arguments: String..., input: String = "") throws -> Ended {
    try run(arguments, input: input)
  }

  func run(_ arguments: [String], input: String) throws -> Ended {
    try run([Self.executable] + arguments, input: input, environment: environment)
  }

  /// Runs any program to its end.
  func run(_ words: [String], input: String, environment: [String]) throws -> Ended {
    let name = UUID().uuidString
    let inputPath = try file("\(name).in", input)
    let (output, errors) = (
      home.appending(path: "\(name).out"), home.appending(path: "\(name).err")
    )
    let process = try StartedProcess.spawn(
      words, environment: environment,
      files: [
        (inputPath, O_RDONLY), (output.path, O_WRONLY | O_CREAT), (errors.path, O_WRONLY | O_CREAT),
      ])
    let status = try StartedProcess.wait(for: process)
    return Ended(
      status: status, output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
      errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
  }

  /// Stores the password of an account, as an app would.
  func store(_ password: String, site: String, account: String) async throws {
    @InternetPassword(server: site, account: account, in: vault) var stored: String?
    stored = password
    try await $stored.save()
  }

  /// The password that a sign-up kept for a user name; nil when there is none.
  func password(of name: String = "chihiro", at site: String = SignUpSession.site) throws -> String?
  {
    @InternetPassword(server: site, account: name, refreshPolicy: .manual, in: vault)
    var stored: String?
    return try $stored.load()
  }

  /// Gives the vault a passphrase, and returns the path of a file with it.
  func lock(with passphrase: String = "totoro") throws -> String {
    try vault.setPassphrase(Secret(passphrase.utf8), cost: .minimum)
    return try file("passphrase", passphrase + "\n")
  }
}

/// How a run of the executable ended.
struct Ended {
  /// The exit status, or the signal as a negative number.
  let status: Int32
  let output: String
  let errors: String
}
