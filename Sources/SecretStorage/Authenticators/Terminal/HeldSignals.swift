import StorageInternals

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// The pipe's end that the signal handler writes to.
///
/// `nonisolated(unsafe)`: written once, before the first handler is installed.
private nonisolated(unsafe) var signalWriter: Int32 = -1

/// Writes a signal's number to the pipe, which a signal handler may do.
private func writeSignal(_ number: Int32) {
  let code = errno
  var byte = UInt8(truncatingIfNeeded: number)
  // The variable was written before, and the byte is one of this call.
  _ = unsafe write(signalWriter, &byte, 1)
  errno = code
}

/// The signals that end, suspend or continue a process, kept from their effects while a terminal is
/// in a state that must not stay.
///
/// SIGCONT is among them because nothing else tells of a stop by SIGSTOP, after which the terminal
/// may have other settings. The kernel continues the process all the same.
///
/// A handler may run on any thread and may do next to nothing there, so it writes the signal's
/// number to a pipe. One thread at a time may hold signals.
struct HeldSignals {
  private static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT]

  // Made once and kept: a handler may still be on its way when the signals are let go.
  private static let pipe = LazyValue { () throws(SecretStoreError) in
    let pipe = try WakingPipe()
    // No handler is installed yet that could read it.
    unsafe signalWriter = pipe.writer
    return pipe
  }

  private static let isHolding = Lock(false)

  private let pipe: WakingPipe
  private var previous: [(number: Int32, action: sigaction)] = []

  /// Holds the signals until they are let go.
  init() throws(SecretStoreError) {
    pipe = try Self.pipe.get()
    // Whatever came before has been dealt with.
    while pipe.next() != nil {}
    for number in Self.numbers {
      var old = sigaction()
      // Here and below, the kernel copies the structures.
      unsafe sigaction(number, nil, &old)
      // What the app ignores, as under `nohup`, stays ignored.
      if number != SIGCONT, old.handlerAddress == sigaction.ignoring { continue }
      previous.append((number, old))
      var new = Self.holding
      unsafe sigaction(number, &new, nil)
    }
    Self.isHolding.withLock { $0 = true }
  }

  private static var holding: sigaction {
    var action = sigaction { number in writeSignal(number) }
    // System calls of the app's other threads go on as if there had been no signal.
    action.sa_flags = Int32(SA_RESTART)
    return action
  }

  /// Becomes readable when a signal came.
  var reader: Int32 { pipe.reader }

  /// The next signal that came, if there is one.
  func next() -> Int32? { pipe.next().map(Int32.init) }

  /// Gives the signals back the effects that they had.
  func letGo() {
    Self.isHolding.withLock { $0 = false }
    for (number, action) in previous {
      var action = action
      var current = sigaction()
      // The kernel copies the structures.
      unsafe sigaction(number, nil, &current)
      // A handler that was installed meanwhile, such as that of a dispatch source, stays.
      if current.handlerAddress != Self.holding.handlerAddress { continue }
      unsafe sigaction(number, &action, nil)
    }
  }

  /// Tells the app's own handler that the process was continued, while all signals stay held.
  func passContinuation() {
    guard var action = previous.first(where: { $0.number == SIGCONT })?.action else { return }
    // Raising the signal for nothing could undo a stop that is on its way.
    if [sigaction.ignoring, sigaction.default].contains(action.handlerAddress) { return }
    var held = sigaction()
    // The kernel copies the structures.
    unsafe sigaction(SIGCONT, &action, &held)
    Self.takeEffect(SIGCONT)
    unsafe sigaction(SIGCONT, &held, nil)
  }

  /// Holds a signal that a dispatch source got instead of the handler: the source reads the signals
  /// that are pending for the process, and may be faster.
  ///
  /// - Returns: Whether signals are held.
  static func hold(_ number: Int32) -> Bool {
    isHolding.withLock { isHolding in
      if isHolding { writeSignal(number) }
      return isHolding
    }
  }

  /// Lets a signal that was held have its effect, which is over when this returns.
  ///
  /// A dispatch source of the app hears of a signal some time later.
  static func takeEffect(_ number: Int32) {
    // The vaults that lock when the process is suspended do so before it stops.
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

  /// Where the handler is; functions cannot be compared.
  var handlerAddress: Int {
    #if canImport(Glibc)
      let handler = unsafe __sigaction_handler.sa_handler
    #else
      let handler = unsafe __sa_handler.sa_handler
    #endif
    // The address is looked at and never called.
    return unsafe unsafeBitCast(handler, to: Int.self)
  }

  // These are no functions, but addresses that C gives a meaning.
  fileprivate static var ignoring: Int { unsafe unsafeBitCast(SIG_IGN, to: Int.self) }
  fileprivate static var `default`: Int { unsafe unsafeBitCast(SIG_DFL, to: Int.self) }
}

/// The signals that the current thread takes; threads of Dispatch block nearly all.
enum ThreadSignals {
  static func unblocking<Result, Failure: Error>(
    _ numbers: [Int32], _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // All of it are variables of this call.
    var set = sigset_t()
    var old = sigset_t()
    unsafe sigemptyset(&set)
    for number in numbers { unsafe sigaddset(&set, number) }
    unsafe pthread_sigmask(SIG_UNBLOCK, &set, &old)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &old, nil) }
    return try body()
  }
}
