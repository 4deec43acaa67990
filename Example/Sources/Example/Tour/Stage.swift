import FoundationEssentials
import SecretStorage

/// Where the tour takes place: a temporary directory, and the output.
struct Stage: Sendable {
  let directory: URL

  init() throws {
    directory = FileManager.default.temporaryDirectory
      .appending(
        path: "Locket-tour-\(UInt64.random(in: .min ... .max))", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  func clear() throws {
    try FileManager.default.removeItem(at: directory)
  }

  /// The file of a vault of this tour.
  func file(_ name: String) -> URL { directory.appending(path: "\(name)/secrets.vault") }

  /// Where the device key of this tour's machine is.
  func stateDirectory(of machine: String = "machine") -> URL {
    directory.appending(path: machine, directoryHint: .isDirectory)
  }

  /// Another object for the same vault, as another run of the program would have one.
  func vault(_ name: String, on machine: String = "machine") -> SecretVault {
    SecretVault(fileURL: file(name), stateDirectory: stateDirectory(of: machine))
  }

  /// Shows a piece of code and what it gave.
  func show(_ code: String, _ outcome: some Any) throws {
    try Output.line("   \(code)\n     → \(Self.text(of: outcome))")
  }

  /// Shows a piece of code that must fail, and how it did.
  func showFailure<Reason: Error>(
    _ code: String, _ body: () async throws(Reason) -> Void
  ) async throws {
    do throws(Reason) {
      try await body()
    } catch {
      return try show(code, "throws: \(shortened("\(error)"))" as Substring)
    }
    throw Failure("`\(code)` should have failed, and did not.")
  }

  /// Shows a piece of code that gives nothing.
  func show(_ code: String) throws {
    try Output.line("   \(code)")
  }

  /// Shows what is in a file of the tour.
  func showFile(_ name: String) throws {
    let text = try String(contentsOf: directory.appending(path: name), encoding: .utf8)
    for line in text.split(separator: "\n") { try Output.line("     | \(line)") }
  }

  func say(_ text: String) throws {
    try Output.line("   // \(text)")
  }

  /// A text in which the tour's directory is an ellipsis, because its name says nothing.
  func shortened(_ text: String) -> Substring {
    Substring(
      text.split(separator: directory.path, omittingEmptySubsequences: false).joined(separator: "…")
    )
  }

  /// Strings as in code, everything else as it describes itself.
  private static func text(of outcome: Any) -> String {
    switch outcome {
    case let text as String: String(reflecting: text)
    case let optional as String?: optional.map { String(reflecting: $0) } ?? "nil"
    default: String(describing: outcome)
    }
  }
}
