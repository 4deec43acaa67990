import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// The ends of the signal handler's pipe.
///
/// `nonisolated(unsafe)`: written once, before the first handler is installed.
private nonisolated(unsafe) var signalReader: Int32 = -1
private nonisolated(unsafe) var signalWriter: Int32 = -1

private let isHolding = Atomic(false)

/// Takes a signal out of the pipe, if there is one.
private func nextSignal() -> Int32? {
  var byte: UInt8 = 0
  // The byte is a variable of this call.
  return unsafe read(signalReader, &byte, 1) == 1 ? Int32(byte) : nil
}

/// The signals that end or stop a process, kept from their effects for as long as this exists.
///
/// A handler may run on any thread and may do next to nothing there, so it writes the signal's
/// number to a pipe, which can be waited for together with the terminal.
struct HeldSignals: ~Copyable {
  private static let numbers =
    [
      SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU, SIGUSR1, SIGUSR2, SIGALRM,
      SIGVTALRM, SIGPROF, SIGPIPE, SIGIO, SIGPWR, SIGSTKFLT, SIGXCPU, SIGXFSZ,
    ] + Array(34...64)

  /// Readable when a signal came.
  let reader: Int32

  // Made once and kept: a handler may still be on its way when the signals are let go.
  private static let pipe = makePipe()
  private var previous: [(number: Int32, action: sigaction)] = []

  /// Holds the signals that end or stop a process, and others.
  init(and others: [Int32] = []) throws(Failure) {
    reader = try Self.pipe.get()
    isHolding.store(true, ordering: .sequentiallyConsistent)
    for number in Self.numbers + others {
      var old = sigaction()
      // Here and below, the kernel copies the structures.
      unsafe sigaction(number, nil, &old)
      // Signals that the caller ignores, as under `nohup`, stay ignored.
      if Self.isIgnored(old) { continue }
      previous.append((number, old))
      // The handler only reads variables that were written before, and uses a pipe.
      var new = sigaction { number in
        let code = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = unsafe write(signalWriter, &byte, 1)
        // It was on its way when the signals were let go.
        if !isHolding.load(ordering: .sequentiallyConsistent), let late = nextSignal() {
          raise(late)
        }
        errno = code
      }
      unsafe sigaction(number, &new, nil)
    }
  }

  deinit {
    for (number, action) in previous {
      var action = action
      // The kernel copies the structure.
      unsafe sigaction(number, &action, nil)
    }
    isHolding.store(false, ordering: .sequentiallyConsistent)
    // Signals that came after the last call of `next`. The process goes on already.
    while let number = nextSignal() { if number != SIGCONT { Self.takeEffect(number) } }
  }

  /// The next signal that came, if there is one.
  func next() -> Int32? { nextSignal() }

  /// Lets a signal that was held have its effect, which is over when this returns.
  static func takeEffect(_ number: Int32) {
    unblocking(number) { _ = raise(number) }
  }

  /// Runs a closure that a signal may interrupt, or in which it may stop the process: the threads
  /// of tasks block signals.
  static func unblocking<Result>(_ number: Int32, _ body: () -> Result) -> Result {
    var mask = sigset_t()
    var old = sigset_t()
    // The sets are variables of this call, which the kernel copies.
    unsafe sigemptyset(&mask)
    unsafe sigaddset(&mask, number)
    unsafe pthread_sigmask(SIG_UNBLOCK, &mask, &old)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &old, nil) }
    return body()
  }

  /// Functions cannot be compared, but this one is an impossible address, which is never called.
  private static func isIgnored(_ action: sigaction) -> Bool {
    #if canImport(Glibc)
      let handler = unsafe action.__sigaction_handler.sa_handler
    #else
      let handler = unsafe action.__sa_handler.sa_handler
    #endif
    return unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  private static func makePipe() -> Result<Int32, Failure> {
    Result { () throws(Failure) in
      let pipe = try Pipe()
      _ = fcntl(pipe.reader, F_SETFL, O_NONBLOCK)
      _ = fcntl(pipe.writer, F_SETFL, O_NONBLOCK)
      // No handler is installed yet that could read them.
      unsafe signalReader = pipe.reader
      unsafe signalWriter = pipe.writer
      return pipe.reader
    }
  }
}

extension sigaction {
  /// An action that calls a function and, unlike that of `signal`, interrupts system calls.
  init(calling handler: @escaping @convention(c) (Int32) -> Void) {
    self.init()
    #if canImport(Glibc)
      __sigaction_handler = .init(sa_handler: handler)
    #else
      __sa_handler = .init(sa_handler: handler)
    #endif
  }
}

/// A pipe that wakes a `poll`.
final class WakingPipe: Sendable {
  /// Readable after `wake()`.
  let reader: Int32
  private let writer: Int32

  init() throws(Failure) {
    let pipe = try Pipe()
    (reader, writer) = (pipe.reader, pipe.writer)
    for end in [reader, writer] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
  }

  deinit {
    close(reader)
    close(writer)
  }

  func wake() {
    var byte: UInt8 = 0
    // The byte is a variable of this call. A full pipe wakes as well.
    _ = unsafe write(writer, &byte, 1)
  }

  /// Takes out the bytes, so that the next `poll` waits again.
  func drain() {
    var byte: UInt8 = 0
    // As above.
    while unsafe read(reader, &byte, 1) == 1 {}
  }
}
