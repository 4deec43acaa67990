import FoundationEssentials
import StorageInternals
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// Runs scripts, with a directory of their own as their argument.
final class PythonDirectory {
  static let isAvailable = output(of: "python3 -c 'import plistlib'").status == 0

  private let directory: String

  init() throws {
    directory = FileManager.default.temporaryDirectory.path + "/KeyValueStorage-\(UUID())"
    try FileSystem().makeDirectories(directory)
  }

  deinit {
    do {
      try FileManager.default.removeItem(atPath: directory)
    } catch {
      fatalError("\(directory) cannot be removed: \(error)")
    }
  }

  func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: URL(filePath: "\(directory)/\(name)"))
  }

  func read(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: "\(directory)/\(name)")))
  }

  /// What a script prints.
  func run(_ script: String) throws -> String {
    try write(Array(script.utf8), to: "script.py")
    let (output, status) = Self.output(of: "python3 -B '\(directory)/script.py' '\(directory)'")
    let text = String(decoding: output, as: UTF8.self)
    try #require(status == 0, "Python said: \(text)")
    return text
  }

  private static func output(of command: String) -> (data: [UInt8], status: Int32) {
    // The stream is used here alone, and closed once.
    guard let stream = unsafe popen("\(command) 2>&1", "r") else { return ([], -1) }
    var data: [UInt8] = []
    var character = unsafe getc(stream)
    while character != EOF {
      data.append(UInt8(truncatingIfNeeded: character))
      character = unsafe getc(stream)
    }
    return (data, unsafe pclose(stream))
  }
}
