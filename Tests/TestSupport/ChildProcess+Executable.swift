import StorageInternals

extension ChildProcess {
  /// Runs an executable of this package, which is built into the same directory as the tests.
  package convenience init(
    executable: String, _ arguments: [String], output: String
  ) throws {
    let directory = try FileSystem().linkTarget(of: "/proc/self/exe").parentDirectory
    try self.init("\(directory)/\(executable)", arguments, output: output)
  }
}
