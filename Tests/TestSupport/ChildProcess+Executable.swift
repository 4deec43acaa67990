import StorageInternals

extension ChildProcess {
  /// Runs an executable of this package, which is built into the same directory as the tests.
  package convenience init(
    executable: String, _ arguments: [String], output: String
  ) throws {
    try self.init(Self.path(ofExecutable: executable), arguments, output: output)
  }

  /// Where an executable of this package is.
  package static func path(ofExecutable name: String) throws -> String {
    "\(try FileSystem().linkTarget(of: "/proc/self/exe").parentDirectory)/\(name)"
  }
}
