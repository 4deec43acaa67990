import Dispatch
import StorageInternals

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// Calls handlers when the process gets a signal, before it is stopped by it if it is SIGTSTP.
///
/// There is one of each signal, so that all handlers have returned before the process stops. It is
/// never cancelled: Dispatch does not give a signal its default effect back, and a handler that
/// others set meanwhile must not be taken away.
///
/// `@unchecked`: a dispatch source may be used from any thread.
final class SignalSource: @unchecked Sendable {
  private static let all = Lock([Int32: SignalSource](), inForkedChild: { [:] })

  private let number: Int32
  private let observers = ChangeObservers()
  private let queue = DispatchQueue(label: "Locket.SignalSource")
  private let source: any DispatchSourceSignal
  private let isRegistered = DispatchSemaphore(value: 0)
  /// The address of Dispatch's handler, from the registration on.
  private let dispatchHandler = Lock(0)

  static func of(_ number: Int32) -> SignalSource {
    guard isCatchable(number) else {
      fatalError("Signal \(number) cannot lock a vault: no process can wait for it.")
    }
    let source = all.withLock { all in
      let source = all[number] ?? SignalSource(number)
      all[number] = source
      return source
    }
    // Every one who waits wakes the next.
    source.isRegistered.wait()
    source.isRegistered.signal()
    return source
  }

  /// Dispatch catches a signal in a thread that blocks all but those that tell a thread of its
  /// errors.
  private static func isCatchable(_ number: Int32) -> Bool {
    let others = [
      SIGKILL, SIGSTOP, SIGILL, SIGTRAP, SIGFPE, SIGBUS, SIGSEGV, SIGSYS, SIGPIPE, SIGPROF,
    ]
    // The C library keeps 32 and 33, and musl 34 too, to itself.
    return (1...64).contains(number) && !(32...34).contains(number) && !others.contains(number)
  }

  private init(_ number: Int32) {
    self.number = number
    source = DispatchSource.makeSignalSource(signal: number, queue: queue)
    source.setEventHandler { [self] in
      // A question on the terminal first makes it show typing again, and then calls `suspend`.
      if number == SIGTSTP, HeldSignals.hold(number) { return }
      handle()
    }
    // Unlike elsewhere, on Linux the signal need not be ignored: Dispatch sets a handler, and
    // ignoring would lose what is sent before.
    source.setRegistrationHandler { [self] in
      dispatchHandler.withLock { $0 = handlerAddress }
      isRegistered.signal()
    }
    source.activate()
  }

  private func handle() {
    observers.notify()
    // To this thread, so that it returns when the process is continued: a signal to the process may
    // stop it some time after the call.
    if number == SIGTSTP { raise(SIGSTOP) }
  }

  private var handlerAddress: Int {
    var action = sigaction()
    // The kernel fills the structure.
    unsafe sigaction(number, nil, &action)
    return action.handlerAddress
  }

  /// Calls the handlers of SIGTSTP and stops the process, and returns when it is continued.
  ///
  /// Raising the signal would do the same some time later.
  ///
  /// - Returns: Whether the signal has handlers here.
  static func suspend() -> Bool {
    guard let source = all.withLock({ $0[SIGTSTP] }),
      source.handlerAddress == source.dispatchHandler.withLock({ $0 })
    else { return false }
    source.queue.sync { source.handle() }
    return true
  }

  /// Calls a handler at each signal that is sent from now on, on a queue of its own.
  func observe(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation {
    observers.addPrompt(handler)
  }
}
