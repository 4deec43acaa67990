import FoundationEssentials

/// An app of one file that depends on a module of Locket or on none, built from nothing.
struct DependentApp: Sendable {
  /// The code of an app that uses a module, for each product but the one for tests.
  private static let users: KeyValuePairs<String, String> = [
    "SerializedAccess": """
    let count = Serialized(0)
    count.wrappedValue += 1
    print(count.wrappedValue)
    """,
    "KeyValueStorage": """
    import FoundationEssentials
    let store = KeyValueStore(json: URL(filePath: CommandLine.arguments[1]))
    let count = StoredValue(wrappedValue: 0, "count", in: store)
    count.wrappedValue += 1
    print(count.wrappedValue)
    """,
    "SecretStorage": vaultCode,
    "SecretMigration": """
    import FoundationEssentials
    let file = URL(filePath: CommandLine.arguments[1])
    print(try ForeignSecrets.environmentFile(at: file, service: "app").secrets.count)
    """,
    "PasswordRules": """
    let rules = try PasswordRuleSet("required: upper; required: digit; minlength: 12;")
    print(try PasswordGenerator(rules, length: 20).password())
    """,
    "Validation": """
    let validator: Validator<String> = .notEmpty && .count(4...) && .contains(of: .upper)
    print(validator.report(for: CommandLine.arguments[1]).isValid)
    """,
    "KeychainCompatibility": """
    struct Diary { @KeychainStore(key: "pages") var pages: Int? }
    print(Diary().pages ?? 0)
    """,
  ]

  private static let vaultCode = """
    import FoundationEssentials
    let directory = URL(filePath: CommandLine.arguments[1])
    let password = PasswordItem<String>(
      .generic(service: "benchmark", account: "account-50"), refreshPolicy: .manual,
      in: SecretVault(
        fileURL: directory.appending(path: "secrets.vault"), stateDirectory: directory))
    if CommandLine.arguments.count > 2 {
      password.value = CommandLine.arguments[2]
      try password.save()
    } else {
      print(try password.load() ?? "")
    }
    """

  /// An app that gets or sets one item of a vault.
  static let vaultUser = DependentApp(using: "SecretStorage", vaultCode)

  /// An app that does the bare work of a get: loading libcrypto, `stat` and AES-256-GCM.
  static let bareReader = DependentApp(
    using: nil,
    """
    import Glibc
    var status = stat()
    stat(CommandLine.arguments[1], &status)
    let sealed = [UInt8](repeating: 1, count: 64 + 16)
    var output = sealed
    sealed.withUnsafeBufferPointer { BareCrypto().open($0, into: &output) }
    print("\(BenchmarkVault.value)")
    """, beside: ["BareCrypto.swift"])

  /// The path of the stripped executable.
  let executable: String
  private let size: Int
  private let buildTime: Duration

  /// Builds an app, with all of the modules that it needs.
  private init(using module: String?, _ code: String, beside sources: [String] = []) {
    let here = URL(filePath: #filePath).deletingLastPathComponent()
    let locket = here.appending(path: "../../..").standardized.path
    let package = temporaryDirectory()
    let folder = package.appending(path: "Sources/App")
    let dependency = module.map { ".product(name: \"\($0)\", package: \"Locket\")" } ?? ""
    attempt {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for source in sources {
        try FileManager.default.copyItem(
          at: here.appending(path: source), to: folder.appending(path: source))
      }
      try Data(((module.map { "import \($0)\n" } ?? "") + code).utf8)
        .write(to: folder.appending(path: "main.swift"))
      try Data(
        """
        // swift-tools-version: 6.2
        import PackageDescription
        let package = Package(
          name: "App",
          dependencies: [\(module == nil ? "" : ".package(name: \"Locket\", path: \"\(locket)\")")],
          targets: [.executableTarget(name: "App", dependencies: [\(dependency)])])
        """.utf8
      ).write(to: package.appending(path: "Package.swift"))
    }
    var isBuilt = true
    buildTime = ContinuousClock().measure {
      isBuilt =
        ChildProcess.output(
          of: ["swift", "build", "-c", "release", "--package-path", package.path],
          deadline: .seconds(1800)) != nil
    }
    executable = package.appending(path: ".build/release/App").path
    // The package is not removed then.
    guard isBuilt, ChildProcess.output(of: ["strip", executable]) != nil else {
      fatalError("\(package.path) could not be built.")
    }
    size = sizeOfFile(executable)
  }

  /// Builds an app that uses none of the modules, and one for each.
  static func costs() -> Table {
    let none = DependentApp(using: nil, "print(CommandLine.arguments.count)")
    let apps = [("none", none)] + users.map { ($0, DependentApp(using: $0, $1)) }
    return Table(
      header: ["module", "clean build (s)", "executable (kB)", "more than none (kB)"],
      cells: apps.map { module, app in
        [
          module, decimal(app.buildTime / .seconds(1)), decimal(Double(app.size) / 1000),
          decimal(Double(app.size - none.size) / 1000),
        ]
      })
  }
}
