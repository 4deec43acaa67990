/// Python with its standard library, as a second reader of Locket's files.
package enum Python {
  /// The failure of a program, with its output.
  package struct Failure: Error { package let output: String }

  package static let isAvailable = succeeds("import json, plistlib")
  /// Whether `datetime.fromisoformat` reads each form of ISO 8601.
  package static let readsISO8601 = succeeds("import sys; assert sys.version_info >= (3, 11)")
  /// Whether python-dotenv is installed, which is not in the standard library.
  package static let hasDotenv = succeeds("import dotenv")

  private static func succeeds(_ program: String) -> Bool {
    do { return try output(of: program, []).status == 0 } catch { return false }
  }

  /// Runs a program to its end, and returns its output.
  @discardableResult
  package static func run(_ program: String, _ arguments: [String] = []) throws -> String {
    let (text, status) = try output(of: program, arguments)
    if status != 0 { throw Failure(output: text) }
    return text
  }

  private static func output(
    of program: String, _ arguments: [String]
  ) throws -> (text: String, status: Int32) {
    let directory = try TemporaryDirectory()
    let child = try ChildProcess(
      "/bin/sh", ["-c", "exec python3 \"$@\" 2>&1", "sh", "-c", program] + arguments,
      output: directory("output"))
    let status = child.end()
    return (String(decoding: try content(of: directory("output")), as: UTF8.self), status)
  }
}
