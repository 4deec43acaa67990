import CLibrary
import Concurrency

/// The write end of the pipe, for the signal handler.
///
/// `nonisolated(unsafe)`: written once, before the first handler is installed.
private nonisolated(unsafe) var signalWriter: Int32 = -1

/// Writes a signal's number to the pipe; safe in a signal handler.
private func writeSignal(_ number: Int32) {
  let code = errno
  var byte = UInt8(truncatingIfNeeded: number)
  // The global was set before the handler was installed, and the byte is a local variable.
  _ = unsafe write(signalWriter, &byte, 1)
  errno = code
}

/// The signals that end, suspend or continue a process, deferred while a terminal is in a temporary
/// state.
///
/// SIGCONT is among them because no other event reports a stop by SIGSTOP, after which the terminal
/// may have other settings. The kernel continues the process all the same.
///
/// A handler runs on any thread and may call only async-signal-safe functions, so it writes the
/// signal's number to a pipe. One thread at a time may hold signals.
struct HeldSignals {
  private static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT]

  // Never released: a handler may still be running when the signals are released.
  private static let pipe = LazyValue { () throws(SecretStoreError) in
    let pipe = try WakingPipe()
    // No handler that could read it is installed yet.
    unsafe signalWriter = pipe.writer
    return pipe
  }

  private static let isHolding = Lock(false)

  private let pipe: WakingPipe
  private var previous: [(number: Int32, action: sigaction)] = []

  /// Holds the signals until ``letGo()``.
  init() throws(SecretStoreError) {
    pipe = try Self.pipe.get()
    // Earlier signals have been handled.
    while pipe.next() != nil {}
    for number in Self.numbers {
      var old = sigaction()
      // The kernel copies the structures, here and below.
      unsafe sigaction(number, nil, &old)
      // Signals that the app ignores, as under `nohup`, stay ignored.
      if number != SIGCONT, old.handlerAddress == sigaction.ignoring { continue }
      previous.append((number, old))
      var new = Self.holding
      unsafe sigaction(number, &new, nil)
    }
    Self.isHolding.withLock { $0 = true }
  }

  private static var holding: sigaction {
    var action = sigaction { number in writeSignal(number) }
    // System calls of the app's other threads are restarted.
    action.sa_flags = Int32(SA_RESTART)
    return action
  }

  /// A descriptor that becomes readable when a signal arrives.
  var reader: Int32 { pipe.reader }

  /// Returns the next signal that arrived, if any.
  func next() -> Int32? { pipe.next().map(Int32.init) }

  /// Restores the previous actions of the signals.
  func letGo() {
    Self.isHolding.withLock { $0 = false }
    for (number, action) in previous {
      var action = action
      var current = sigaction()
      // The kernel copies the structures.
      unsafe sigaction(number, nil, &current)
      // A handler installed in the meantime, such as that of a dispatch source, stays.
      if current.handlerAddress != Self.holding.handlerAddress { continue }
      unsafe sigaction(number, &action, nil)
    }
  }

  /// Calls the app's own handler for SIGCONT, while all signals stay held.
  func passContinuation() {
    guard var action = previous.first(where: { $0.number == SIGCONT })?.action else { return }
    // Raising the signal needlessly could undo a pending stop.
    if [sigaction.ignoring, sigaction.default].contains(action.handlerAddress) { return }
    var held = sigaction()
    // The kernel copies the structures.
    unsafe sigaction(SIGCONT, &action, &held)
    Self.takeEffect(SIGCONT)
    unsafe sigaction(SIGCONT, &held, nil)
  }

  /// Holds a signal that a dispatch source received instead of the handler: the source reads the
  /// process's pending signals, and may be faster.
  ///
  /// - Returns: Whether signals are held.
  static func hold(_ number: Int32) -> Bool {
    isHolding.withLock { isHolding in
      if isHolding { writeSignal(number) }
      return isHolding
    }
  }

  /// Lets a held signal take its effect before this returns.
  ///
  /// A dispatch source of the app receives the signal some time later.
  static func takeEffect(_ number: Int32) {
    // Vaults that lock on suspension do so before the process stops.
    if number == SIGTSTP, SignalSource.suspend() { return }
    ThreadSignals.unblocking([number]) { _ = raise(number) }
  }
}

extension sigaction {
  fileprivate init(calling handler: @escaping @convention(c) (Int32) -> Void) {
    self.init()
    #if canImport(Glibc)
      __sigaction_handler = .init(sa_handler: handler)
    #else
      __sa_handler = .init(sa_handler: handler)
    #endif
  }

  /// The address of the handler; functions cannot be compared.
  var handlerAddress: Int {
    #if canImport(Glibc)
      let handler = unsafe __sigaction_handler.sa_handler
    #else
      let handler = unsafe __sa_handler.sa_handler
    #endif
    // The address is only compared, never called.
    return unsafe unsafeBitCast(handler, to: Int.self)
  }

  // These are not functions, but addresses with a special meaning.
  fileprivate static var ignoring: Int { unsafe unsafeBitCast(SIG_IGN, to: Int.self) }
  fileprivate static var `default`: Int { unsafe unsafeBitCast(SIG_DFL, to: Int.self) }
}

/// The signal mask of the current thread; Dispatch threads block nearly all signals.
enum ThreadSignals {
  static func unblocking<Result, Failure: Error>(
    _ numbers: [Int32], _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // All pointers are to local variables.
    var set = sigset_t()
    var old = sigset_t()
    unsafe sigemptyset(&set)
    for number in numbers { unsafe sigaddset(&set, number) }
    unsafe pthread_sigmask(SIG_UNBLOCK, &set, &old)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &old, nil) }
    return try body()
  }
}
