import Dispatch
import StorageInternals

/// When a store's unsaved changes are written; it has a timer only while there are some.
final class WriteSchedule: Sendable {
  // The timer is only reached under the lock that holds this.
  private struct State: @unchecked Sendable {
    var flush: @Sendable () -> Void = {}
    var timer: (any DispatchSourceTimer)?
  }

  private let delay: Duration?
  private let state = Lock(State())

  init(_ policy: WritePolicy) {
    switch policy {
    case .durable: delay = nil
    case .coalesced(let delay): self.delay = delay
    }
  }

  /// What the timer calls.
  var flush: @Sendable () -> Void {
    get { state.withLock { $0.flush } }
    set { state.withLock { $0.flush = newValue } }
  }

  /// Whether there is a timer.
  var isWaiting: Bool { state.withLock { $0.timer != nil } }

  /// Notes that something is unsaved; returns false if it must be written at once.
  func begin() -> Bool {
    guard let delay else { return false }
    start(after: delay)
    return true
  }

  /// Notes that what was to be written could not be.
  func retry() {
    guard let delay else { return }
    end()
    start(after: max(delay, .seconds(1)))
  }

  /// Ends the waiting, unless there is something unsaved again.
  func end(if isDone: () -> Bool = { true }) {
    let timer = state.withLock { state in
      guard state.timer != nil, isDone() else { return (any DispatchSourceTimer)?.none }
      defer { state.timer = nil }
      return state.timer
    }
    timer?.cancel()
  }

  private func fire() {
    // What is set from now on needs another timer.
    state.withLock { $0.timer = nil }
    flush()
  }

  private func start(after delay: Duration) {
    state.withLock { state in
      if state.timer != nil { return }
      let timer = DispatchSource.makeTimerSource(queue: .global())
      timer.setEventHandler { [weak self] in self?.fire() }
      let (seconds, attoseconds) = delay.components
      timer.schedule(
        deadline: .now() + .seconds(Int(seconds))
          + .nanoseconds(Int(attoseconds / 1_000_000_000)))
      timer.activate()
      state.timer = timer
    }
  }
}
