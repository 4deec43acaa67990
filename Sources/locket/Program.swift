import CLibrary

@main
enum Program {
  static func main() async {
    turnOffBacktraces()
    fillStandardDescriptors()
    exit(await run().rawValue)
  }

  private static func run() async -> ExitStatus {
    do {
      return try await Command.run(words())
    } catch let error as UsageError {
      report("\(error.reason)\n\n\(error.usage ?? Command.overview())")
    } catch let error as Failure {
      report(error.reason)
      return error.status
    } catch {
      report("\(error)")
    }
    return .failed
  }

  /// Turns off Swift's backtracer, which opens on the terminal and shows a process with secrets.
  private static func turnOffBacktraces() {
    // The signals for which the runtime installs handlers before `main`.
    for number in [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] {
      setHandler(SIG_DFL, of: number)
    }
  }

  /// Opens each closed descriptor of the standard streams, in a mode in which its use still fails.
  ///
  /// Otherwise the kernel would give their numbers to the next files that are opened, and output
  /// would be written into the vault.
  private static func fillStandardDescriptors() {
    for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) == -1 {
      // The lowest free number is this one. The path is a constant.
      _ = unsafe open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// Returns the arguments after the program's name.
  ///
  /// `CommandLine.arguments` would replace bytes that are not UTF-8.
  private static func words() throws(Failure) -> [String] {
    var words: [String] = []
    for number in 1..<max(1, Int(CommandLine.argc)) {
      // The system keeps the arguments until the process ends.
      guard let argument = unsafe CommandLine.unsafeArgv[number],
        let word = unsafe String(validatingCString: argument)
      else { throw Failure("Argument \(number) is not valid UTF-8.") }
      words.append(word)
    }
    return words
  }

  /// Writes a message to standard error, with escapes for what could control a terminal: a path may
  /// come from an archive of someone else.
  static func report(_ text: String) {
    do {
      try Output.line("locket: \(String(escaping: Array(text.utf8)))", to: .standardError)
    } catch {
      // Standard error is closed or full; only the exit status is left.
    }
  }
}

enum ExitStatus: Int32, Comparable {
  case done = 0
  /// The secret, the setting, or the named file of either does not exist; not a failure.
  case absent = 1
  case failed = 2

  /// The password or secret was refused; not a failure either.
  static let refused = absent

  /// Orders statuses by severity.
  static func < (one: ExitStatus, other: ExitStatus) -> Bool { one.rawValue < other.rawValue }
}

/// The failure of a command, with a reason of one or two sentences and without a secret.
struct Failure: Error {
  let reason: String
  let status: ExitStatus

  init(_ reason: String, status: ExitStatus = .failed) {
    self.reason = reason
    self.status = status
  }
}

/// A mistake in the arguments.
///
/// It quotes an argument only if that looks like the name of an option: others may be secrets.
struct UsageError: Error {
  let reason: String
  /// The help page to show; nil for the list of all commands.
  var usage: String?

  init(_ reason: String, usage: String? = nil) {
    self.reason = reason
    self.usage = usage
  }
}

/// The output of the program; unlike `print`, it throws on errors such as a full disk.
enum Output {
  enum Stream: Int32 {
    case standardOutput = 1
    case standardError = 2
  }

  static func line(_ text: String, to stream: Stream = .standardOutput) throws(Failure) {
    try write(Array("\(text)\n".utf8), to: stream)
  }

  static func write(_ bytes: [UInt8], to stream: Stream = .standardOutput) throws(Failure) {
    var done = 0
    while done < bytes.count {
      // The buffer is used only inside the closure.
      let count = unsafe bytes.withUnsafeBytes { buffer in
        #if canImport(Glibc)
          unsafe Glibc.write(stream.rawValue, buffer.baseAddress! + done, buffer.count - done)
        #else
          unsafe Musl.write(stream.rawValue, buffer.baseAddress! + done, buffer.count - done)
        #endif
      }
      if count > 0 {
        done += count
      } else if count == 0 || errno != EINTR {
        throw Failure("The output cannot be written: \(SystemCall.reason).")
      }
    }
  }
}

enum SystemCall {
  /// The C library's message for the last failed system call of this thread.
  static var reason: String {
    errorMessage(errno)
  }
}
