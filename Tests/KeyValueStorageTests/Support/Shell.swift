import TestSupport

/// Shell commands that work on files.
enum Shell {
  /// Runs a script in a directory, up to the first command that fails.
  static func run(_ script: String, in directory: String) throws {
    try ChildProcess("/bin/sh", ["-ec", "cd '\(directory)'\n\(script)"]).wait()
  }
}
