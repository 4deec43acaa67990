import Synchronization

/// The longest wait of a thread that makes 60 accesses while another one makes accesses of 200 µs
/// without a pause.
final class WorstWait: Sendable {
  private let nanoseconds = Atomic(0)
  private let threads = Atomic(0)
  private let isOver = Atomic(false)

  /// Measures the longest wait once.
  ///
  /// - Parameter access: Runs a closure in one access.
  /// - Returns: The wait in nanoseconds.
  static func nanoseconds(
    _ access: @escaping @Sendable (_ body: @escaping @Sendable () -> Void) -> Void
  ) -> Double {
    let wait = WorstWait()
    _ = timeOnThreads(2) {
      if wait.threads.add(1, ordering: .relaxed).oldValue == 0 {
        wait.keepBusy(access)
      } else {
        wait.ask(access)
      }
    }
    return Double(wait.nanoseconds.load(ordering: .relaxed))
  }

  private func keepBusy(_ access: (@escaping @Sendable () -> Void) -> Void) {
    let clock = ContinuousClock()
    while !isOver.load(ordering: .relaxed) {
      access {
        let end = clock.now.advanced(by: .microseconds(200))
        while clock.now < end {}
      }
    }
  }

  private func ask(_ access: (@escaping @Sendable () -> Void) -> Void) {
    let clock = ContinuousClock()
    for _ in 0..<60 {
      let asked = clock.now
      access { [self] in
        let wait = Int((clock.now - asked) / .nanoseconds(1))
        nanoseconds.max(wait, ordering: .relaxed)
      }
    }
    isOver.store(true, ordering: .relaxed)
  }
}
