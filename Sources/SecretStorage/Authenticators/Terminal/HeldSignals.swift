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

/// The signals that end or suspend a process, kept from doing so while a terminal is in a state that
/// must not stay.
///
/// A handler may run on any thread and may do next to nothing there, so it writes the signal's number
/// to a pipe. One thread at a time may hold signals.
struct HeldSignals {
  private static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]

  // Made once and kept: a handler may still be on its way when the signals are let go.
  private static let pipe = LazyValue { () throws(SecretStoreError) in
    let pipe = try WakingPipe()
    // No handler is installed yet that could read it.
    unsafe signalWriter = pipe.writer
    return pipe
  }

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
      if Self.isIgnored(old) { continue }
      previous.append((number, old))
      // The handler only reads a variable that is there already, and writes to a pipe.
      var new = Self.action { number in
        let code = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = unsafe write(signalWriter, &byte, 1)
        errno = code
      }
      // System calls of the app's other threads go on as if there had been no signal.
      new.sa_flags = Int32(SA_RESTART)
      unsafe sigaction(number, &new, nil)
    }
  }

  /// Becomes readable when a signal came.
  var reader: Int32 { pipe.reader }

  /// The next signal that came, if there is one.
  func next() -> Int32? { pipe.next().map(Int32.init) }

  /// Gives the signals back the effects that they had.
  func letGo() {
    for (number, action) in previous {
      var action = action
      // The kernel copies the structure.
      unsafe sigaction(number, &action, nil)
    }
  }

  /// Lets a signal that was held have its effect, which is over when this returns.
  static func takeEffect(_ number: Int32) {
    ThreadSignals.unblocking([number]) { _ = raise(number) }
  }

  private static func action(_ handler: @escaping @convention(c) (Int32) -> Void) -> sigaction {
    var action = sigaction()
    #if canImport(Glibc)
      action.__sigaction_handler = .init(sa_handler: handler)
    #else
      action.__sa_handler = .init(sa_handler: handler)
    #endif
    return action
  }

  /// Functions cannot be compared, but this one is no function: C gives it an impossible address,
  /// which is looked at and never called.
  private static func isIgnored(_ action: sigaction) -> Bool {
    #if canImport(Glibc)
      let handler = unsafe action.__sigaction_handler.sa_handler
    #else
      let handler = unsafe action.__sa_handler.sa_handler
    #endif
    return unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}

/// The signals that the current thread takes; threads of Dispatch block nearly all.
enum ThreadSignals {
  static func unblocking<Result, Failure: Error>(
    _ numbers: [Int32], _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try changing(SIG_UNBLOCK, numbers, body)
  }

  static func blocking<Result, Failure: Error>(
    _ numbers: [Int32], _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try changing(SIG_BLOCK, numbers, body)
  }

  private static func changing<Result, Failure: Error>(
    _ change: Int32, _ numbers: [Int32], _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // All of it are variables of this call.
    var set = sigset_t()
    var old = sigset_t()
    unsafe sigemptyset(&set)
    for number in numbers { unsafe sigaddset(&set, number) }
    unsafe pthread_sigmask(change, &set, &old)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &old, nil) }
    return try body()
  }
}
