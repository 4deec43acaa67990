#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// The pipe's end that the signal handler writes to.
///
/// `nonisolated(unsafe)`: written once, before the first handler is installed.
private nonisolated(unsafe) var signalWriter: Int32 = -1

/// Keeps the signals that end or stop a process from doing so, for as long as this exists.
///
/// A handler may run on any thread and may do next to nothing there, so it writes the signal's number
/// to a pipe, which can be waited for together with the terminal.
struct HeldSignals: ~Copyable {
  private static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU]

  /// Becomes readable when a signal came.
  let reader: Int32

  // Made once and kept: a handler may still be on its way when the signals are let go.
  private static let pipe = makePipe()
  private var previous: [(number: Int32, handler: sighandler_t?)] = []

  init() throws(Failure) {
    reader = try Self.pipe.get()
    // Whatever came before has been dealt with.
    while next() != nil {}
    for number in Self.numbers {
      let handler = signal(number) { number in
        let code = errno
        var byte = UInt8(truncatingIfNeeded: number)
        // The handler only reads a variable that is there already, and writes to a pipe.
        _ = unsafe write(signalWriter, &byte, 1)
        errno = code
      }
      previous.append((number, handler))
      // What the caller has ignored, as `nohup` does, stays ignored.
      if Self.isIgnoring(handler) { signal(number, SIG_IGN) }
    }
  }

  deinit {
    for entry in previous { signal(entry.number, entry.handler) }
  }

  /// The next signal that came, if there is one.
  func next() -> Int32? {
    var byte: UInt8 = 0
    // The byte is a variable of this call.
    return unsafe read(reader, &byte, 1) == 1 ? Int32(byte) : nil
  }

  /// Functions cannot be compared, but this one is no function: C gives it an impossible address.
  private static func isIgnoring(_ handler: sighandler_t?) -> Bool {
    unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  private static func makePipe() -> Result<Int32, Failure> {
    Result { () throws(Failure) in
      let pipe = try Pipe()
      _ = fcntl(pipe.reader, F_SETFL, O_NONBLOCK)
      _ = fcntl(pipe.writer, F_SETFL, O_NONBLOCK)
      unsafe signalWriter = pipe.writer
      return pipe.reader
    }
  }
}
