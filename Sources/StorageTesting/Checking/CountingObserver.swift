import Concurrency
import Dispatch
import Synchronization

/// An observer that counts its notifications and can wait for them.
final class CountingObserver: Sendable {
  private final class Counter: Sendable {
    let calls = Atomic(0)
  }

  private let counter = Counter()
  /// The number of notifications when the last wait ended.
  private let awaited = Atomic(0)
  private let observation = Lock<(any AnyObject & Sendable)?>(nil)

  /// The time without a notification after which those of the last change are complete.
  private static let quietTime = Duration.milliseconds(50)

  /// Begins an observation.
  ///
  /// - Parameter observe: Observes with a handler, and returns the observation, which ends when it
  ///   is released.
  init(
    _ observe: (@escaping @Sendable () -> Void) throws -> any AnyObject & Sendable
  ) rethrows {
    let new = try observe { [counter] in
      counter.calls.add(1, ordering: .sequentiallyConsistent)
    }
    observation.withLock { $0 = new }
  }

  deinit {
    // The end of an observation may block, and the last reference is often that of a task.
    DispatchQueue(label: "end of observation").async { [observation] in
      observation.withLock { $0 = nil }
    }
  }

  /// The number of notifications received.
  var count: Int { counter.calls.load(ordering: .sequentiallyConsistent) }

  /// Ends the observation, which may block.
  func stop() { observation.withLock { $0 = nil } }

  /// Waits for a notification since the last wait; returns false on timeout.
  ///
  /// The timeout is the sum of the pauses between two looks. A busy machine resumes a task late
  /// after each of them, and so gives the store more time as well.
  ///
  /// Also waits until no more notifications arrive, so that a second one of the same change is not
  /// taken for that of the next change.
  func isNotified(within timeout: Duration) async -> Bool {
    var pause = Duration.milliseconds(1)
    var waited = Duration.zero
    while count == awaited.load(ordering: .sequentiallyConsistent) {
      if waited >= timeout { return false }
      do { try await Task.sleep(for: pause) } catch { return false }
      waited += pause
      pause = min(pause * 2, .milliseconds(20))
    }
    var last: Int
    repeat {
      last = count
      // Cancellation only shortens the wait.
      try? await Task.sleep(for: Self.quietTime)
      waited += Self.quietTime
    } while count != last && waited < timeout
    awaited.store(last, ordering: .sequentiallyConsistent)
    return true
  }
}

/// A handler that detects whether it runs inside of a call that makes a change.
final class ReentranceDetector: Sendable {
  private let thread = ThreadIdentity.current
  private let isCalling = Atomic(false)
  private let ranDuringCall = Atomic(false)

  /// The handler to observe with.
  @Sendable func handle() {
    // A dispatch queue may reuse this thread between two calls.
    if isCalling.load(ordering: .sequentiallyConsistent), thread == .current {
      ranDuringCall.store(true, ordering: .sequentiallyConsistent)
    }
  }

  /// Makes a call, and returns its result and whether the handler ran inside of it.
  func perform<Result>(_ body: () throws -> Result) rethrows -> (Result, hasRun: Bool) {
    isCalling.store(true, ordering: .sequentiallyConsistent)
    defer { isCalling.store(false, ordering: .sequentiallyConsistent) }
    let result = try body()
    return (result, ranDuringCall.exchange(false, ordering: .sequentiallyConsistent))
  }
}
