import TestSupport
import Testing

@testable import KeyValueStorage

/// The second reader of the files: Python with its standard library.
enum Python {
  static let isAvailable: Bool = {
    do { return try output(of: "import json, plistlib", []).status == 0 } catch { return false }
  }()

  /// Runs a program to its end, and returns what it printed.
  @discardableResult
  static func run(_ program: String, _ arguments: [String]) throws -> String {
    let (text, status) = try output(of: program, arguments)
    try #require(status == 0, "Python said: \(text)")
    return text
  }

  private static func output(
    of program: String, _ arguments: [String]
  ) throws -> (text: String, status: Int32) {
    let output = try BackendFile("output")
    let child = try ChildProcess(
      "/bin/sh", ["-c", "exec python3 \"$@\" 2>&1", "sh", "-c", program] + arguments,
      output: output.path)
    let status = child.end()
    return (try output.text() ?? "", status)
  }
}
