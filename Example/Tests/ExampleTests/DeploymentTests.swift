import FoundationEssentials
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// The files in `Deployment`, as far as a machine without systemd and containers can use them.
struct DeploymentTests {
  private static let directory = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Deployment")
  private static let hasSystemd = isInstalled("systemd-creds") && isInstalled("systemd-analyze")

  /// Whether a test with a program can run; true in CI, where it fails if that is missing.
  private static func isInstalled(_ name: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/\(name)")
      || ProcessInfo.processInfo.environment["CI"] != nil
  }

  private let machine: Machine

  init() throws {
    machine = try Machine()
    for name in ["credentials", "state"] {
      try FileManager.default.createDirectory(
        atPath: machine.path(name), withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700])
    }
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOf: Self.directory.appending(path: name), encoding: .utf8)
  }

  private func shell(_ script: String) throws -> Ended {
    try machine.run(
      ["/bin/sh", "-euc", "cd \"$HOME\"\n\(script)"], input: "",
      environment: machine.environment + [
        "SYSTEMD_CREDENTIAL_SECRET=\(machine.path("host.secret"))"
      ])
  }

  /// Starts the daemon as a service, waits for its start, and ends it.
  private func serve(_ words: [String], _ variables: [String], start: Int) throws {
    let session = try PseudoTerminal(words, environment: variables)
    try session.waitForText("Start \(start), with a token of ")
    kill(session.process, SIGTERM)
    #expect(try session.end() == 0, "\(session.screen)")
  }

  /// The environment of a service, which has no home directory.
  private func variables(_ own: [String]) -> [String] {
    machine.environment.filter { !$0.hasPrefix("HOME=") } + ["HOME=/nonexistent"] + own
  }

  private func expectNoStartWithoutTheKey(_ words: [String]) throws {
    // If it started, it would not end.
    let ended = try machine.run(
      ["/usr/bin/timeout", "60"] + words, input: "",
      environment: variables(["STATE_DIRECTORY=\(machine.path("state"))"]))
    #expect(ended.status == 1)
    #expect(ended.errors.hasPrefix("Example: There is no terminal to ask on"), "\(ended)")
  }

  /// The value of a line of the unit.
  private func setting(_ name: String) throws -> String {
    let line = try text("example.service").split(separator: "\n").first { $0.hasPrefix("\(name)=") }
    return String(try #require(line).dropFirst(name.utf8.count + 1))
  }

  @Test(.enabled(if: hasSystemd, "systemd is not installed"))
  func systemdAcceptsTheUnit() throws {
    let unit = try text("example.service")
      .replacing("/usr/local/bin/Example", with: Machine.executable)
    _ = try machine.file("example.service", unit)
    let verified = try shell("systemd-analyze verify ./example.service")
    #expect(verified.status == 0 && verified.errors == "", "\(verified)")
    // It would say so otherwise.
    _ = try machine.file("example.service", unit.replacing("LoadCred", with: "LodCred"))
    #expect(try shell("systemd-analyze verify ./example.service").errors.contains("LodCred"))
  }

  @Test(.enabled(if: hasSystemd, "systemd is not installed"))
  func theCredentialOfTheUnitOpensTheVault() throws {
    let credential = try setting("LoadCredentialEncrypted").prefix { $0 != ":" }
    // What the unit's comment tells the administrator to do, and then what systemd does.
    let encrypted = try shell(
      """
      systemd-creds setup
      head -c 32 /dev/urandom >key
      systemd-creds encrypt --with-key=host --name=\(credential) - encrypted <key
      systemd-creds decrypt --name=\(credential) encrypted credentials/\(credential)
      cmp key credentials/\(credential)
      ! systemd-creds decrypt --name=other encrypted -
      """)
    #expect(encrypted.status == 0, "\(encrypted)")
    let state = machine.path("state")
    let words = try setting("ExecStart").replacing("${STATE_DIRECTORY}", with: state)
      .split(separator: " ").dropFirst().map(String.init)
    let command = [Machine.executable] + words
    let variables = variables([
      "STATE_DIRECTORY=\(state)", "CREDENTIALS_DIRECTORY=\(machine.path("credentials"))",
    ])
    try serve(command, variables, start: 1)
    try serve(command, variables, start: 2)
    try expectNoStartWithoutTheKey(command)
  }

  @Test func theMountedSecretOfTheContainerOpensTheVault() throws {
    let lines = try text("Containerfile").replacing("\\\n", with: "").split(separator: "\n")
    func instructions(_ name: String) -> [Substring] {
      lines.filter { $0.hasPrefix("\(name) ") }.map { $0.dropFirst(name.utf8.count + 1) }
    }
    // The volume and the mount are directories here.
    let volume = try #require(instructions("VOLUME").last)
    func placed(_ path: some StringProtocol) -> String {
      String(path).replacing("/run/secrets", with: machine.path("credentials"))
        .replacing(volume, with: machine.path("state"))
        .replacing("/usr/local/bin/Example", with: Machine.executable)
    }
    let variables = variables(instructions("ENV").flatMap { $0.split(separator: " ").map(placed) })
    let entry = try #require(instructions("ENTRYPOINT").last)
    let command = try JSONDecoder().decode([String].self, from: Data(entry.utf8)).map(placed)
    #expect(try shell("(umask 277; head -c 32 /dev/urandom >credentials/vault-key)").status == 0)
    try serve(command, variables, start: 1)
    try serve(command, variables, start: 2)
    try expectNoStartWithoutTheKey(command)
    // What is copied is there.
    let checkout = Self.directory.appending(path: "../..")
    for paths in instructions("COPY") where !paths.hasPrefix("--from") {
      let source = paths.prefix { $0 != " " }
      #expect(FileManager.default.fileExists(atPath: checkout.appending(path: source).path))
    }
  }
}
