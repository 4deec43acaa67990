import CLibrary
import Concurrency

/// The write end of the pipe, for the signal handler.
///
/// `nonisolated(unsafe)`: written once, before the first handler is installed.
private nonisolated(unsafe) var signalDescriptor: Int32 = -1

/// Writes the number of a signal to the pipe; async-signal-safe.
private func writeSignal(_ number: Int32) {
  let code = errno
  var byte = UInt8(truncatingIfNeeded: number)
  _ = unsafe write(signalDescriptor, &byte, 1)
  errno = code
}

/// The signals that end, suspend or continue the process, deferred while the terminal's settings
/// are changed.
///
/// The kernel continues the process at SIGCONT even if the signal is deferred. SIGCONT is deferred
/// because it is the only notification of a stop by SIGSTOP, during which the settings may change.
///
/// The handler may call only async-signal-safe functions, so it writes the number of the signal to
/// a pipe. Only one thread at a time may defer signals.
struct DeferredSignals {
  /// The signals that are deferred even if the app handles them.
  private static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT]

  /// The other signals that end the process, except those of crashes; deferred unless handled.
  private static let others =
    [
      SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGPIPE, SIGIO, SIGPWR, SIGSTKFLT, SIGXCPU,
      SIGXFSZ,
    ] + Array(34...64)

  static let all = numbers + others

  // Never deallocated, because a handler may still be running after `restore()`.
  private static let pipe = LazyValue { () throws(SecretStoreError) in
    let pipe = try SelfPipe()
    // No handler has been installed yet.
    unsafe signalDescriptor = pipe.writeDescriptor
    return pipe
  }

  private static let isDeferring = Lock(false)

  private let pipe: SelfPipe
  private var previous: [(number: Int32, action: sigaction)] = []

  init() throws(SecretStoreError) {
    pipe = try Self.pipe.get()
    // Discard signals that arrived earlier.
    while pipe.readByte() != nil {}
    for number in Self.all {
      let old = sigaction.current(of: number)
      // Signals that the app ignores, as under `nohup`, stay ignored.
      if number != SIGCONT, old.handlerAddress == sigaction.ignoring { continue }
      if Self.others.contains(number), old.handlerAddress != sigaction.default { continue }
      previous.append((number, old))
      var new = Self.deferring
      unsafe sigaction(number, &new, nil)
    }
    Self.isDeferring.withLock { $0 = true }
  }

  private static var deferring: sigaction {
    var action = sigaction()
    #if canImport(Glibc)
      action.__sigaction_handler = .init(sa_handler: writeSignal)
    #else
      action.__sa_handler = .init(sa_handler: writeSignal)
    #endif
    // Interrupted system calls of other threads are restarted.
    action.sa_flags = Int32(SA_RESTART)
    return action
  }

  /// The descriptor that becomes readable when a signal arrives.
  var descriptor: Int32 { pipe.readDescriptor }
  func next() -> Int32? { pipe.readByte().map(Int32.init) }

  /// Restores the previous actions of the signals, and delivers those that are still deferred.
  func restore() {
    Self.isDeferring.withLock { $0 = false }
    for (number, action) in previous {
      var action = action
      // A handler that was installed in the meantime, such as a dispatch source's, is not replaced.
      let current = sigaction.current(of: number)
      if current.handlerAddress != Self.deferring.handlerAddress { continue }
      unsafe sigaction(number, &action, nil)
    }
    // Deliver the signals that arrived after the last call of `next()`.
    while let number = next() { if number != SIGCONT { Self.deliver(number) } }
  }

  /// Calls the app's handler for SIGCONT, while the other signals are still deferred.
  func deliverContinuation() {
    guard var action = previous.first(where: { $0.number == SIGCONT })?.action else { return }
    // Raising the signal could discard a pending stop signal.
    if [sigaction.ignoring, sigaction.default].contains(action.handlerAddress) { return }
    var current = sigaction()
    unsafe sigaction(SIGCONT, &action, &current)
    Self.deliver(SIGCONT)
    unsafe sigaction(SIGCONT, &current, nil)
  }

  /// Defers a signal of a dispatch source; returns false if signals are not deferred now.
  static func deferSignal(_ number: Int32) -> Bool {
    isDeferring.withLock { isDeferring in
      if isDeferring { writeSignal(number) }
      return isDeferring
    }
  }

  /// Delivers a deferred signal to the process; dispatch sources of the app receive it later.
  static func deliver(_ number: Int32) {
    // Vaults that lock on suspension must be locked before the process stops.
    if number == SIGTSTP, SignalSource.suspend() { return }
    ThreadSignals.unblocking([number]) { _ = raise(number) }
  }
}

extension sigaction {
  /// Returns the action of a signal, without changing it.
  static func current(of number: Int32) -> sigaction {
    var action = sigaction()
    unsafe sigaction(number, nil, &action)
    return action
  }

  /// The address of the handler, because functions cannot be compared.
  var handlerAddress: Int {
    #if canImport(Glibc)
      let handler = unsafe __sigaction_handler.sa_handler
    #else
      let handler = unsafe __sa_handler.sa_handler
    #endif
    return unsafe unsafeBitCast(handler, to: Int.self)
  }

  // SIG_IGN and SIG_DFL are special addresses, not functions.
  fileprivate static var ignoring: Int { unsafe unsafeBitCast(SIG_IGN, to: Int.self) }
  fileprivate static var `default`: Int { unsafe unsafeBitCast(SIG_DFL, to: Int.self) }
}

/// The signal mask of the current thread; threads of Dispatch block nearly all signals.
enum ThreadSignals {
  static func unblocking<Result, Failure: Error>(
    _ numbers: [Int32], _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var set = sigset_t()
    var old = sigset_t()
    unsafe sigemptyset(&set)
    for number in numbers { unsafe sigaddset(&set, number) }
    unsafe pthread_sigmask(SIG_UNBLOCK, &set, &old)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &old, nil) }
    return try body()
  }
}
