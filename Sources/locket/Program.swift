import CLibrary

@main
enum Program {
  /// The version of the package, as in its changelog.
  static let version = "unreleased"

  static func main() async {
    SignalMask.initial.save()
    CoreDump.prevent()
    fillStandardDescriptors()
    exit(await run().rawValue)
  }

  private static func run() async -> ExitStatus {
    var words: [String] = []
    do {
      words = try Self.words()
      return try await Command.run(words)
    } catch let error as UsageError {
      report(error.hint.map { "\(error.reason)\n\($0)" } ?? error.reason)
    } catch let error as Failure {
      report(error.reason)
    } catch {
      report("\(error)")
    }
    return Command.named(words)?.failureStatus ?? .failed
  }

  /// Opens each closed descriptor of the standard streams, in a mode in which its use still fails.
  ///
  /// Otherwise the kernel would give their numbers to the next files that are opened, and output
  /// would be written into the vault.
  private static func fillStandardDescriptors() {
    for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) == -1 {
      // The lowest free number is this one. The path is a constant. The descriptor is closed again
      // for a command that takes the place of this program.
      let mode = number == STDIN_FILENO ? O_WRONLY : O_RDONLY
      _ = unsafe open("/dev/null", mode | O_CLOEXEC)
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

  /// Writes a message to standard error.
  static func report(_ text: String) {
    do {
      try Output.line("locket: \(text)", to: .standardError)
    } catch {
      // Standard error is closed or full; only the exit status is left.
    }
  }
}

enum ExitStatus: Int32, Comparable {
  case done = 0
  /// The secret or setting does not exist; not a failure.
  case absent = 1
  case failed = 2

  // Those of env(1), for a command that runs another one and has its exit status.
  case notRun = 125
  case notExecutable = 126
  case notFound = 127

  /// The password or secret was refused; not a failure either.
  static let refused = absent

  /// Orders statuses by severity.
  static func < (one: ExitStatus, other: ExitStatus) -> Bool { one.rawValue < other.rawValue }
}

/// The failure of a command, with a reason of one or two sentences and without a secret.
struct Failure: Error {
  let reason: String

  init(_ reason: String) {
    self.reason = reason
  }
}

/// A mistake in the arguments.
///
/// It quotes an argument only if that looks like the name of an option: others may be secrets.
struct UsageError: Error {
  let reason: String
  /// A line that says where the right usage is explained.
  var hint: String?

  init(_ reason: String, hint: String? = nil) {
    self.reason = reason
    self.hint = hint
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
    // The text is copied before another call can overwrite it.
    unsafe String(cString: strerror(errno))
  }
}
