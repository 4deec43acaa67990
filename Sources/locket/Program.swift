import CLibrary

@main
enum Program {
  static func main() async {
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
    } catch {
      report("\(error)")
    }
    return .failed
  }

  /// Fills those of the first three descriptors that the caller has closed.
  ///
  /// The kernel would give their numbers to the next files that are opened, and output would be
  /// written into the vault. Each is filled so that its use still fails.
  private static func fillStandardDescriptors() {
    for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) == -1 {
      // The lowest free number is this one. The path is a constant.
      _ = unsafe open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// The arguments behind the program's name.
  ///
  /// `CommandLine.arguments` would replace bytes that are not UTF-8.
  private static func words() throws(Failure) -> [String] {
    var words: [String] = []
    for number in 1..<max(1, Int(CommandLine.argc)) {
      // The system keeps the arguments until the process ends.
      guard let argument = unsafe CommandLine.unsafeArgv[number],
        let word = unsafe String(validatingCString: argument)
      else { throw Failure("Argument \(number) is not text in UTF-8.") }
      words.append(word)
    }
    return words
  }

  /// Writes a message to standard error.
  static func report(_ text: String) {
    do {
      try Output.line("locket: \(text)", to: .standardError)
    } catch {
      // Standard error is closed or full: the exit status is left to tell.
    }
  }
}

enum ExitStatus: Int32, Comparable {
  case done = 0
  /// The secret or setting does not exist, or was refused; that is an answer and no failure.
  case absent = 1
  case failed = 2

  /// The password or secret was judged, and is not as it must be; that is an answer as well.
  static let refused = absent

  /// Whether one stands for less trouble than another.
  static func < (one: ExitStatus, other: ExitStatus) -> Bool { one.rawValue < other.rawValue }
}

/// Why a command could not do its work: one or two sentences, without a secret.
struct Failure: Error {
  let reason: String

  init(_ reason: String) {
    self.reason = reason
  }
}

/// A mistake in the arguments.
///
/// It quotes none of them unless it looks like the name of an option, because one may be a secret.
struct UsageError: Error {
  let reason: String
  /// The page to show; nil stands for the overview of all commands.
  var usage: String?

  init(_ reason: String, usage: String? = nil) {
    self.reason = reason
    self.usage = usage
  }
}

/// The output of the program; unlike `print`, it notices a full disk.
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
      // The buffer is used inside of the closure alone.
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
        throw Failure("Nothing more can be written to the output: \(SystemCall.reason).")
      }
    }
  }
}

enum SystemCall {
  /// Why the last system call of this thread failed, in the C library's words.
  static var reason: String {
    // The text is copied before another call can overwrite it.
    unsafe String(cString: strerror(errno))
  }
}
