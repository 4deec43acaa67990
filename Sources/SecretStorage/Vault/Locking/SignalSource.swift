import CLibrary
import Concurrency
import Dispatch

/// A source that calls handlers when the process gets a signal, before SIGTSTP stops the process.
///
/// Each signal has one source, so that all handlers have returned before the process stops. It is
/// never cancelled: Dispatch does not restore the default action of a signal, and a handler that
/// other code installed meanwhile must not be removed.
///
/// `@unchecked`: a dispatch source may be used from any thread.
final class SignalSource: @unchecked Sendable {
  private static let all = Lock([Int32: SignalSource](), inForkedChild: { [:] })

  private let number: Int32
  private let observers = ChangeObservers()
  private let queue = DispatchQueue(label: "Locket.SignalSource")
  private let source: any DispatchSourceSignal
  private let isRegistered = DispatchSemaphore(value: 0)
  /// The address of Dispatch's handler, set at the registration.
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
    // Each waiting thread wakes the next.
    source.isRegistered.wait()
    source.isRegistered.signal()
    return source
  }

  /// Whether Dispatch can catch a signal: its thread blocks all signals except those that report an
  /// error of a thread.
  private static func isCatchable(_ number: Int32) -> Bool {
    let others = [
      SIGKILL, SIGSTOP, SIGILL, SIGTRAP, SIGFPE, SIGBUS, SIGSEGV, SIGSYS, SIGPIPE, SIGPROF,
    ]
    // The C library reserves 32 and 33, and musl also 34.
    return (1...64).contains(number) && !(32...34).contains(number) && !others.contains(number)
  }

  private init(_ number: Int32) {
    self.number = number
    source = DispatchSource.makeSignalSource(signal: number, queue: queue)
    source.setEventHandler { [self] in
      // A prompt on the terminal turns echo on again first, and then calls `suspend`.
      if number == SIGTSTP, HeldSignals.hold(number) { return }
      handle()
    }
    // On Linux, the signal need not be ignored: Dispatch installs a handler, and ignoring would
    // lose signals sent before.
    source.setRegistrationHandler { [self] in
      dispatchHandler.withLock { $0 = handlerAddress }
      isRegistered.signal()
    }
    source.activate()
  }

  private func handle() {
    observers.notify()
    // To this thread, so that the call returns when the process continues: a signal to the process
    // may stop it some time after the call.
    if number == SIGTSTP { raise(SIGSTOP) }
  }

  private var handlerAddress: Int {
    var action = sigaction()
    // The kernel fills in the structure.
    unsafe sigaction(number, nil, &action)
    return action.handlerAddress
  }

  /// Calls the handlers of SIGTSTP, stops the process, and returns when it continues.
  ///
  /// Raising the signal would do the same with a delay.
  ///
  /// - Returns: Whether the signal has handlers here.
  static func suspend() -> Bool {
    guard let source = all.withLock({ $0[SIGTSTP] }),
      source.handlerAddress == source.dispatchHandler.withLock({ $0 })
    else { return false }
    source.queue.sync { source.handle() }
    return true
  }

  /// Calls a handler, on the queue of the source, at each signal that is sent from now on.
  func observe(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation {
    observers.addPrompt(handler)
  }
}
