import FoundationEssentials
import StorageInternals
import TestSupport

@testable import KeyValueStorage

/// A process of the executable `SettingsProcess`, with its standard output appended to a file.
final class SettingsChild: Sendable {
  let process: ChildProcess
  private let output: String

  init(
    _ mode: String, _ parameters: [String] = [], on file: TestFile, output: String? = nil
  ) throws {
    self.output = output ?? "\(file.directory)/output"
    let path = try ChildProcess.path(ofExecutable: "SettingsProcess")
    process = try ChildProcess(
      path, [mode, "\(file.format)", file.path] + parameters, output: self.output)
  }

  var lines: [String] {
    get throws {
      // The child creates the file when it starts.
      guard try FileSystem().status(of: output) != nil else { return [] }
      return try String(contentsOfFile: output, encoding: .utf8)
        .split(separator: "\n").map(String.init)
    }
  }

  func wait(for line: String) throws {
    try TestSupport.wait(for: process) { try lines.contains(line) }
  }

  /// Kills the process, and returns the status that it ended with.
  @discardableResult
  func kill() -> Int32 {
    process.stop()
    return process.end()
  }
}
