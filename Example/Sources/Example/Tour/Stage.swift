import FoundationEssentials
import SecretStorage
import SerializedAccess

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// The place of the tour: a temporary directory, and the output.
struct Stage: Sendable {
  let directory: URL
  /// The columns of the terminal; nil where the output is none, and lines stay as they are.
  private let columns: Int?
  private let appearance: Appearance?
  private let isCleared = Serialized(false)

  init() throws {
    directory = FileManager.default.temporaryDirectory
      .appending(
        path: "Locket-tour-\(UInt64.random(in: .min ... .max))", directoryHint: .isDirectory)
    let environment = ProcessInfo.processInfo.environment
    let isTerminal = isatty(STDOUT_FILENO) == 1
    columns = isTerminal ? ScreenSize.ofStandardOutput.columns : nil
    let isColored = isTerminal && Appearance.canMoveCursor(environment)
    appearance = isColored ? Appearance(environment) : nil
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  /// Removes the directory once: a signal may come while it is removed.
  func clear() throws {
    try isCleared.access { isCleared in
      if isCleared { return }
      isCleared = true
      try FileManager.default.removeItem(at: directory)
    }
  }

  /// The file of a vault of this tour.
  func file(_ name: String) -> URL { directory.appending(path: "\(name)/secrets.vault") }

  /// The directory of a machine's device key.
  func stateDirectory(of machine: String = "machine") -> URL {
    directory.appending(path: machine, directoryHint: .isDirectory)
  }

  /// Another object for the same vault, as another run of the program would have one.
  func vault(_ name: String, on machine: String = "machine") -> SecretVault {
    SecretVault(fileURL: file(name), stateDirectory: stateDirectory(of: machine))
  }

  func showTitle(_ title: String) throws {
    try print(title, .bold, margin: "")
    try Output.line("")
  }

  /// Shows a line of code and its result.
  func show(_ code: String, _ outcome: some Any) throws {
    try show(code)
    try print("→ \(Self.text(of: outcome))", .good, margin: "     ")
  }

  /// Shows a line of code that must fail, and its error.
  func showFailure<Reason: Error>(
    _ code: String, _ body: () async throws(Reason) -> Void
  ) async throws {
    do throws(Reason) {
      try await body()
    } catch {
      try show(code)
      return try print("→ throws: \(shortened("\(error)"))", .bad, margin: "     ")
    }
    throw Failure("`\(code)` should have failed, and did not.")
  }

  /// Shows a line of code without a result.
  func show(_ code: String) throws {
    try print(code, .plain, margin: "   ")
  }

  /// Shows the content of a file of the tour.
  func showFile(_ name: String) throws {
    let text = try String(contentsOf: directory.appending(path: name), encoding: .utf8)
    for line in text.split(separator: "\n") { try Output.line("     | \(line)") }
  }

  /// Shows a comment.
  func say(_ text: String) throws {
    try print("// \(text)", .dim, margin: "   ")
  }

  /// The text with an ellipsis for the tour's directory, whose name says nothing.
  func shortened(_ text: String) -> Substring {
    Substring(text.replacing(directory.path, with: "…"))
  }

  /// Prints a text behind a margin, on a terminal wrapped to its width and in a style.
  private func print(_ text: String, _ style: TextStyle, margin: String) throws(Failure) {
    var lines = [text]
    if let columns, text.columns > columns - margin.count {
      lines = text.wrapped(columns: max(1, columns - margin.count - 2))
    }
    for (number, line) in lines.enumerated() {
      var shown = line
      if let appearance, appearance.hasColors, let code = style.code(hasColors: true) {
        shown = "\u{1B}[\(code)m\(line)\u{1B}[0m"
      }
      try Output.line("\(margin)\(number == 0 ? "" : "  ")\(shown)")
    }
  }

  /// Strings as in code, everything else by its description.
  private static func text(of outcome: Any) -> String {
    switch outcome {
    case let text as String: String(reflecting: text)
    case let optional as String?: optional.map { String(reflecting: $0) } ?? "nil"
    default: String(describing: outcome)
    }
  }
}
