import CVariadic

/// The file with the memory of a process that crashed, which would contain secrets.
enum CoreDump {
  /// PR_SET_DUMPABLE.
  private static let setDumpable: Int32 = 4

  /// Prevents core dumps of this process, and other processes of the user from tracing it.
  ///
  /// A program that takes its place by `exec` is not affected: prctl(2). Secrets in protected
  /// memory are not dumped anyway, but some have to leave it, for example to be printed.
  static func prevent() {
    _ = variadic_prctl(setDumpable, 0, 0, 0, 0)
  }
}
