#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

enum StandardDescriptors {
  /// Fills those of the first three that the caller has closed.
  ///
  /// The kernel would give their numbers to the next files that are opened, and what is meant for
  /// the output would be written into the vault. Each is filled so that its use still fails.
  static func fill() {
    for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) == -1 {
      // The lowest number that is free is this one. The path is a constant.
      _ = unsafe open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}
