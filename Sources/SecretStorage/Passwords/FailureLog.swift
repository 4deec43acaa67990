import StorageInternals

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// Writes one line for each distinct failure.
struct FailureLog: Sendable {
  static let standardError = FailureLog { line in
    var line = "\(line)\n"
    line.withUTF8 { bytes in
      // Where standard error is closed or full, there is nobody left to tell.
      _ = unsafe write(STDERR_FILENO, bytes.baseAddress, bytes.count)
    }
  }

  private let seen = Lock(Set<PasswordFailure>())
  private let output: @Sendable (String) -> Void

  init(to output: @escaping @Sendable (String) -> Void) {
    self.output = output
  }

  @Sendable func report(_ failure: PasswordFailure) {
    if seen.withLock({ $0.insert(failure).inserted }) { output(failure.description) }
  }
}
