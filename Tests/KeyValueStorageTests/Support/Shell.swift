import TestSupport

/// A shell that runs commands on files.
enum Shell {
  /// Runs a script in a directory until a command fails.
  static func run(_ script: String, in directory: String) throws {
    try ChildProcess("/bin/sh", ["-ec", "cd '\(directory)'\n\(script)"]).wait()
  }
}
