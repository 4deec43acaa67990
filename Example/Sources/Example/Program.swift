#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

@main
enum Program {
  static let usage = """
    Usage: Example [tour [CHAPTER]]
           Example daemon [--settings FILE] [--vault FILE --state DIRECTORY]
           Example daemon --template FILE
           Example signup [--site HOST] [--rules DESCRIPTOR] [--language CODE]
                          [--vault FILE --state DIRECTORY] [--passphrase-file FILE]

    The command line over settings, secrets and password rules is `swift run locket`.
    """

  static func main() async {
    fillStandardDescriptors()
    // The executables of the package `Programs` have the names of their programs.
    let name = CommandLine.arguments.first?.split(separator: "/").last ?? ""
    let program = ["tour", "daemon", "signup"].filter { $0 == name }
    exit(await run(program + CommandLine.arguments.dropFirst()))
  }

  /// Runs a program, and returns 0, 1 if it failed, or 2 if its arguments are wrong.
  private static func run(_ words: [String]) async -> Int32 {
    let rest = words.dropFirst()
    do {
      switch words.first ?? "tour" {
      case "tour": try await Tour.run(Options(rest, [], parameters: 1))
      case "daemon": try await Daemon.run(Options(rest, Daemon.options))
      case "signup": try await SignUp.run(Options(rest, SignUp.options))
      case TourReader.name: try await TourReader.run(Options(rest, TourReader.options))
      case SignUpReader.name: try await SignUpReader.run(Options(rest, SignUpReader.options))
      case "--help", "-h": try Output.line(usage)
      default: throw UsageError("There is no such program.")
      }
      return 0
    } catch let error as UsageError {
      report("\(error.reason)\n\n\(usage)")
      return 2
    } catch let error as Failure {
      report(error.reason)
    } catch {
      report("\(error)")
    }
    return 1
  }

  /// Fills those of the first three descriptors that the caller has closed.
  ///
  /// The kernel would give their numbers to the next files that are opened, and output would be
  /// written into the vault.
  private static func fillStandardDescriptors() {
    for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) == -1 {
      // The lowest free number is this one, and its use still fails. The path is a constant.
      _ = unsafe open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// Writes a message to standard error.
  static func report(_ text: String) {
    do {
      try Output.line("Example: \(text)", to: STDERR_FILENO)
    } catch {
      // Standard error is closed or full: the exit status is left to tell.
    }
  }
}

/// The arguments of a program: `--name VALUE`, and perhaps parameters.
struct Options {
  private var values: [String: String] = [:]
  private(set) var parameters: [String] = []

  init(_ words: ArraySlice<String>, _ names: [String], parameters limit: Int = 0) throws {
    var words = words.makeIterator()
    while let word = words.next() {
      if word.hasPrefix("--"), names.contains(String(word.dropFirst(2))) {
        guard let value = words.next() else { throw UsageError("\(word) needs a value.") }
        values[String(word.dropFirst(2))] = value
      } else if !word.hasPrefix("--"), parameters.count < limit {
        parameters.append(word)
      } else {
        // It is not repeated: it may be a password, which never belongs here.
        throw UsageError("There is one argument too many.")
      }
    }
  }

  subscript(name: String) -> String? { values[name] }

  /// Some of the options as the arguments of another process.
  func words(_ names: [String]) -> [String] {
    names.flatMap { name in values[name].map { ["--\(name)", $0] } ?? [] }
  }
}

/// Why a program could not do its work: one or two sentences, without a secret.
struct Failure: Error {
  let reason: String

  init(_ reason: String) {
    self.reason = reason
  }

  /// The failure of a system call of this thread, in the C library's words.
  init(call: String) {
    // The text is copied before another call can overwrite it.
    reason = "\(call) failed: \(unsafe String(cString: strerror(errno)))."
  }
}

/// A mistake in the arguments.
struct UsageError: Error {
  let reason: String

  init(_ reason: String) {
    self.reason = reason
  }
}

/// The output of a program; unlike `print`, it notices a full disk.
enum Output {
  static func line(_ text: String, to descriptor: Int32 = STDOUT_FILENO) throws(Failure) {
    try write("\(text)\n", to: descriptor)
  }

  static func write(_ text: String, to descriptor: Int32 = STDOUT_FILENO) throws(Failure) {
    var rest = ArraySlice(text.utf8)
    while !rest.isEmpty {
      // The bytes are used inside of the closure alone.
      let count = unsafe rest.withUnsafeBytes { unsafe writeBytes(descriptor, $0) }
      if count > 0 {
        rest.removeFirst(count)
      } else if count < 0, errno == EAGAIN {
        // Another process that shares the terminal made it non-blocking.
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&waiting, 1, -1)
      } else if count == 0 || errno != EINTR {
        throw Failure(call: "Writing the output")
      }
    }
  }
}

/// Calls `write`, which means another function inside of a type that has one.
func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  unsafe write(descriptor, bytes.baseAddress, bytes.count)
}

/// Calls `read`, for the same reason, until no signal interrupts it; the caller has the room.
func readBytes(_ descriptor: Int32, _ start: UnsafeMutablePointer<UInt8>, _ count: Int) -> Int {
  while true {
    let result = unsafe read(descriptor, start, count)
    if result >= 0 || errno != EINTR { return result }
  }
}
