import FoundationEssentials

/// A program that gets or sets one of 100 secrets in a new process.
struct SecretProgram: Sendable {
  private var name: String
  /// The packages that it needs.
  private var packages: [Package] = []
  /// Prepares the secrets, and returns the environment; nil if that fails.
  private var environment: @Sendable () -> [String: String]? = { [:] }
  /// The command that prints a secret.
  private var get: [String]
  /// The command that sets a secret to its input.
  private var set: [String] = []
  private var input = BenchmarkVault.value

  static let locket = {
    let vault = BenchmarkVault(items: 100)
    let command = [DependentApp.vaultUser.executable, vault.directory.path]
    return SecretProgram(name: "Locket", get: command, set: command + [BenchmarkVault.value])
  }()

  static let bare = SecretProgram(
    name: "libcrypto, stat, AES-256-GCM",
    get: [DependentApp.bareReader.executable, DependentApp.bareReader.executable])

  static let peers = [
    SecretProgram(
      name: "secret-tool, libsecret's file", packages: [secretTool],
      environment: { libsecretFile }, get: lookup, set: store("account-50")),
    SecretProgram(
      name: "secret-tool, gnome-keyring", packages: keyring,
      environment: { gnomeKeyring }, get: lookup, set: store("account-50")),
    SecretProgram(
      name: "Python's keyring, gnome-keyring", packages: keyring + [pythonKeyring],
      environment: { gnomeKeyring }, get: python + ["get", "benchmark", "account-50"],
      set: python + ["set", "benchmark", "account-50"],
      // Some versions take no input without the end of a line.
      input: BenchmarkVault.value + "\n"),
  ]

  /// A package, with a shell command that fails without it.
  private typealias Package = (name: String, check: String)

  private static let secretTool: Package = ("libsecret-tools", "command -v secret-tool")
  private static let keyring: [Package] = [
    secretTool, ("gnome-keyring", "command -v gnome-keyring-daemon"),
    ("dbus-daemon", "command -v dbus-run-session"),
  ]
  private static let pythonKeyring: Package = (
    "python3-keyring", "python3 -c 'import keyring, secretstorage'"
  )

  func getting() -> Workload { workload(get, prints: BenchmarkVault.value) }
  func setting() -> Workload { workload(set, prints: "") }

  private func workload(_ command: [String], prints text: String) -> Workload {
    for package in packages where ChildProcess.output(of: ["sh", "-c", package.check]) == nil {
      return .missing("\(name): \(package.name) is not on this machine")
    }
    guard let environment = environment() else {
      return .missing("\(name): fails on this machine")
    }
    return Workload(name: name) { iterations in
      for _ in 0..<iterations {
        let output = ChildProcess.output(of: command, input: input, environment: environment)
        guard let output, output.hasPrefix(text) else { fatalError("\(name) failed.") }
      }
    }
  }

  // The names of the attributes are those of Python's keyring.
  private static func store(_ account: String) -> [String] {
    ["secret-tool", "store", "--label=benchmark", "service", "benchmark", "username", account]
  }

  private static let lookup = [
    "secret-tool", "lookup", "service", "benchmark", "username", "account-50",
  ]

  private static let python = [
    "python3", "-m", "keyring", "--keyring-backend", "keyring.backends.SecretService.Keyring",
  ]

  private static let libsecretFile = {
    let file = temporaryDirectory().appending(path: "default.keyring").path
    return filled([
      "SECRET_BACKEND": "file", "SECRET_FILE_TEST_PATH": file,
      "SECRET_FILE_TEST_PASSWORD": "password",
    ])
  }()

  /// A bus and a keyring of their own, which end when this process does.
  private static let gnomeKeyring: [String: String]? = {
    let home = temporaryDirectory().path
    let address = ChildProcess.firstLine(
      of: [
        "dbus-run-session", "--", "sh", "-ec",
        """
        printf password | gnome-keyring-daemon --unlock --components=secrets >/dev/null
        echo "$DBUS_SESSION_BUS_ADDRESS"
        exec cat
        """,
      ], environment: ["HOME": home, "XDG_DATA_HOME": home, "XDG_RUNTIME_DIR": home])
    return address.flatMap {
      filled(["DBUS_SESSION_BUS_ADDRESS": $0, "SECRET_BACKEND": "service"])
    }
  }()

  /// Stores 100 secrets in an environment, and returns it; nil if that fails.
  private static func filled(_ environment: [String: String]) -> [String: String]? {
    for index in 0..<100 {
      let output = ChildProcess.output(
        of: store("account-\(index)"), input: BenchmarkVault.value, environment: environment)
      if output == nil { return nil }
    }
    return environment
  }
}
