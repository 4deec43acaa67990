import CLibrary
import Concurrency
import Dispatch

/// A source that calls handlers when the process receives a signal.
///
/// SIGTSTP stops the process after all handlers have returned, so each signal has only one source.
/// It is never cancelled, because Dispatch would not restore the default action. `@unchecked`: any
/// thread may use a source.
final class SignalSource: @unchecked Sendable {
  private static let all = Lock([Int32: SignalSource]())

  private let number: Int32
  private let observers = ChangeObservers()
  private let queue = DispatchQueue(label: "Locket.SignalSource")
  private let source: any DispatchSourceSignal
  private let isRegistered = DispatchSemaphore(value: 0)

  static func observe(
    _ number: Int32, _ handler: @escaping @Sendable () -> Void
  ) -> ChangeObservation {
    let others = [
      SIGKILL, SIGSTOP, SIGILL, SIGTRAP, SIGFPE, SIGBUS, SIGSEGV, SIGSYS, SIGPIPE, SIGPROF,
    ]
    // The C library reserves signals 32 and 33; musl also reserves 34.
    guard (1...64).contains(number), !(32...34).contains(number), !others.contains(number) else {
      fatalError("Signal \(number) cannot lock a vault, because Dispatch cannot catch it.")
    }
    let source = all.withLock { all in
      let source = all[number] ?? SignalSource(number)
      all[number] = source
      return source
    }
    // Each waiting thread wakes the next one.
    source.isRegistered.wait()
    source.isRegistered.signal()
    return source.observers.add(handler, isSynchronous: true)
  }

  private init(_ number: Int32) {
    self.number = number
    source = DispatchSource.makeSignalSource(signal: number, queue: queue)
    source.setEventHandler { [self] in
      // A terminal prompt first restores the echo, and then calls `suspend`.
      if number == SIGTSTP, DeferredSignals.deferSignal(number) { return }
      handle()
    }
    // Dispatch installs a handler. Ignoring the signal, as on Darwin, would lose earlier ones.
    source.setRegistrationHandler { [self] in isRegistered.signal() }
    source.activate()
  }

  private func handle() {
    observers.notify()
    // `raise` returns when the process continues; a signal to the process could arrive later.
    if number == SIGTSTP { raise(SIGSTOP) }
  }

  /// Calls the handlers of SIGTSTP and stops the process; false if there are none.
  static func suspend() -> Bool {
    guard let source = all.withLock({ $0[SIGTSTP] }) else { return false }
    source.queue.sync { source.handle() }
    return true
  }
}
