import StorageInternals

/// When a store's unsaved changes are written; it has a timer only while there are some.
final class WriteSchedule: Sendable {
  private struct State: Sendable {
    var flush: @Sendable () -> Void = {}
    /// The number of the closure that waits on the thread.
    var timer: Int?
  }

  private let delay: Duration?
  private let thread: SerialThread
  private let state = Lock(State(), inForkedChild: { State() })

  init(_ policy: WritePolicy, on thread: SerialThread) {
    switch policy {
    case .durable: delay = nil
    case .coalesced(let delay): self.delay = delay
    }
    self.thread = thread
  }

  /// What the timer calls.
  var flush: @Sendable () -> Void {
    get { state.withLock { $0.flush } }
    set { state.withLock { $0.flush = newValue } }
  }

  /// Whether there is a timer.
  var isWaiting: Bool { state.withLock { $0.timer != nil } }

  /// Notes that something is unsaved; returns false if it must be written at once.
  ///
  /// That is so with durable writes, in a forked child, and where no thread can be made for a
  /// timer.
  func begin() -> Bool {
    guard let delay else { return false }
    return start(after: delay)
  }

  /// Notes that what was to be written could not be.
  ///
  /// - Parameter isBusy: Whether the reason passes without the app or a person doing something.
  func retry(isBusy: Bool) {
    guard isBusy || delay != nil else { return }
    end()
    _ = start(after: max(delay ?? .zero, .seconds(1)))
  }

  /// Ends the waiting, unless there is something unsaved again.
  func end(if isDone: () -> Bool = { true }) {
    let timer = state.withLock { state in
      guard state.timer != nil, isDone() else { return Int?.none }
      defer { state.timer = nil }
      return state.timer
    }
    if let timer { thread.cancel(timer) }
  }

  private func fire() {
    // What is set from now on needs another timer.
    state.withLock { $0.timer = nil }
    flush()
  }

  /// Returns false if no thread can be made.
  private func start(after delay: Duration) -> Bool {
    state.withLock { state in
      if state.timer == nil {
        state.timer = thread.run(after: delay) { [weak self] in self?.fire() }
      }
      return state.timer != nil
    }
  }
}
