import CLibrary
import Concurrency
public import SecretStorage

/// A thread that waits for the daemon's signals while there are observers.
final class ChangeWatch: Sendable {
  private struct State: Sendable {
    var hasThread = false
  }

  let observers = ChangeObservers()
  private let address: String
  private let state = Lock(State(), inForkedChild: { State() })
  /// The time after which the thread looks whether it is still needed.
  private static let period = Duration.seconds(5)
  /// The time between attempts to connect.
  private static let pause: UInt32 = 1

  init(address: String) { self.address = address }

  /// Adds a handler, and connects to the bus if that takes no longer than the time limit.
  func observe(
    within timeLimit: Duration, _ handler: @escaping @Sendable () -> Void
  ) -> ChangeObservation {
    let observation = observers.add(handler)
    let isFirst = state.withLock { state in
      defer { state.hasThread = true }
      return !state.hasThread
    }
    if !isFirst || Fork.isChild { return observation }
    // Connected before the call returns, so that no later change is missed.
    let connected = Transfer(connect(by: Deadline(after: timeLimit)))
    let code = DetachedThread.start(named: "locket-keyring") { self.run(with: connected.daemon) }
    if code != 0 { state.withLock { $0.hasThread = false } }
    return observation
  }

  /// A connection on its way from the thread that made it to the thread that uses it.
  ///
  /// `@unchecked`: the first thread does not use it after the second one has started.
  private struct Transfer: @unchecked Sendable {
    let daemon: SecretDaemon?

    init(_ daemon: SecretDaemon?) { self.daemon = daemon }
  }

  private func connect(by deadline: Deadline) -> SecretDaemon? {
    do throws(BusFailure) {
      return try SecretDaemon(at: address, deadline: deadline)
    } catch {
      // An access to the store reports that the bus cannot be reached.
      return nil
    }
  }

  private func run(with first: SecretDaemon?) {
    var daemon = first
    while !isOver() {
      guard let current = daemon else {
        sleep(Self.pause)
        daemon = connect(by: Deadline(after: Self.period))
        // Changes may have been missed.
        if daemon != nil { observers.notify() }
        continue
      }
      let before = current.changeCount
      current.waitForSignals(until: Deadline(after: Self.period))
      if current.changeCount != before { observers.notify() }
      if current.isLost { daemon = nil }
    }
  }

  /// Ends the thread if there are no observers.
  private func isOver() -> Bool {
    state.withLock { state in
      if observers.isEmpty { state.hasThread = false }
      return !state.hasThread
    }
  }
}

extension SecretServiceStore {
  /// Calls a handler after each change that the daemon announces, on a thread of the store.
  ///
  /// The thread has a connection of its own to the bus, and connects again if it is lost.
  public func observeChanges(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation {
    access.watch.observe(within: timeLimit, handler)
  }
}
