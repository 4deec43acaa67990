package import FoundationEssentials
package import SecretStorage

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// A home directory of one test, and the program that runs in it.
package final class Machine: Sendable {
  package let home: URL
  /// Where the input and output of the programs are, which must not be in what they list.
  private let streams: URL
  /// The path of the program, which is built beside the tests.
  package let executable: String

  package init(program: String) throws {
    // Programs print the paths that the kernel tells them.
    let directory = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
    home = directory.appending(path: "Locket-\(UUID())", directoryHint: .isDirectory)
    streams = directory.appending(path: "Locket-\(UUID())", directoryHint: .isDirectory)
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    executable = URL(filePath: tests).deletingLastPathComponent().appending(path: program).path
    try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
    try FileManager.default.createDirectory(at: streams, withIntermediateDirectories: true)
  }

  // A store's last write may add or remove a file meanwhile, so removal is retried. What cannot be
  // removed stays among the temporary files.
  deinit {
    try? FileManager.default.removeItem(at: streams)
    for _ in 1...1_000 {
      if (try? FileManager.default.removeItem(at: home)) != nil { return }
      usleep(1_000)
    }
  }

  /// Where the program puts temporary files.
  package var temporary: URL { home.appending(path: "tmp", directoryHint: .isDirectory) }
  package var vaultFile: URL { home.appending(path: ".local/share/\(program)/secrets.vault") }
  package var state: URL { home.appending(path: ".local/state/\(program)") }
  private var program: String { URL(filePath: executable).lastPathComponent }

  /// The vault, as an app would open it.
  package var vault: SecretVault { SecretVault(fileURL: vaultFile, stateDirectory: state) }

  /// The environment of the program, with other variables in the place of those of the same names.
  package func environment(with variables: [String] = []) -> [String] {
    let names = variables.map { $0.prefix { $0 != "=" } }
    return [
      "HOME=\(home.path)", "TMPDIR=\(temporary.path)", "PATH=/usr/bin:/bin", "TERM=dumb",
      // On a terminal, the runtime would answer SIGQUIT with a backtrace and questions about it.
      "SWIFT_BACKTRACE=enable=no",
    ].filter { !names.contains($0.prefix { $0 != "=" }) } + variables
  }

  /// Makes a file in the home directory, and returns its path.
  package func file(_ name: String, _ content: String) throws -> String {
    try Data(content.utf8).write(to: home.appending(path: name))
    return path(name)
  }

  /// The path of a name in the home directory.
  package func path(_ name: String) -> String { home.appending(path: name).path }

  package func text(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: home.appending(path: name)), as: UTF8.self)
  }

  package func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

  /// Gives the vault a passphrase of the lowest cost, and returns the path of a file with it.
  package func lock(with passphrase: String = "totoro") throws -> String {
    try vault.setPassphrase(Secret(passphrase.utf8), cost: .minimum)
    return try file("passphrase", passphrase + "\n")
  }

  /// Runs the program to its end, without a terminal.
  ///
  /// The first argument is split at its spaces.
  package func run(_ words: String = "", _ others: String..., input: String = "") throws -> Ended {
    try run(words.words + others, input: input)
  }

  package func run(_ arguments: [String], input: String = "") throws -> Ended {
    try run([executable] + arguments, input: input, environment: environment())
  }

  /// Runs a script of the shell, whose `$0` is the program, in the home directory.
  package func shell(_ script: String) throws -> Ended {
    try run(["/bin/sh", "-c", "cd \"$HOME\"; \(script)", executable], environment: environment())
  }

  /// Runs any program to its end.
  package func run(_ words: [String], input: String = "", environment: [String]) throws -> Ended {
    let stream = streams.appending(path: UUID().uuidString)
    let (output, errors) = (
      stream.appendingPathExtension("out"), stream.appendingPathExtension("err")
    )
    try Data(input.utf8).write(to: stream)
    let process = try StartedProcess.spawn(
      words, environment: environment,
      files: [
        (stream.path, O_RDONLY), (output.path, O_WRONLY | O_CREAT),
        (errors.path, O_WRONLY | O_CREAT),
      ])
    return Ended(
      status: try StartedProcess.wait(for: process),
      output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
      errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
  }
}

/// How a run of a program ended.
package struct Ended: Sendable {
  /// The exit status, or the signal as a negative number.
  package let status: Int32
  package let output: String
  package let errors: String
}

extension String {
  /// The parts between spaces.
  package var words: [String] { split(separator: " ").map(String.init) }
}

extension PseudoTerminal {
  /// Starts any program, with other variables in the place of the machine's.
  package convenience init(
    _ words: [String], on machine: Machine, variables: [String] = []
  ) throws {
    try self.init(words, environment: machine.environment(with: variables))
  }

  /// Starts the machine's program, with arguments as for `Machine.run`.
  package convenience init(_ words: String, _ others: String..., on machine: Machine) throws {
    try self.init([machine.executable] + words.words + others, on: machine)
  }
}
