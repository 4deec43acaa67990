import Dispatch

/// A serial queue of the caller's, on which every access to a value runs.
final class CallersQueue: Sendable {
  let queue: DispatchQueue
  // A key for each value, not one for all: the queue may target the queue of another value.
  private let mark = DispatchSpecificKey<Bool>()

  init(_ queue: DispatchQueue) {
    if queue.isConcurrent {
      fatalError(
        """
        The queue "\(queue.label)" is concurrent, and Serialized needs a serial one to give all \
        accesses one order. Pass a queue that was made without the attribute `.concurrent`.
        """)
    }
    self.queue = queue
    queue.setSpecific(key: mark, value: true)
  }

  deinit {
    queue.setSpecific(key: mark, value: nil)
  }

  /// Whether the calling code runs on the queue already.
  var isCurrent: Bool {
    DispatchQueue.getSpecific(key: mark) != nil
  }

  /// Runs `work` on the queue and waits for it.
  func run<Output, Failure: Error>(
    _ work: () throws(Failure) -> Output
  ) throws(Failure) -> Output {
    if isCurrent { return try work() }
    var outcome: Result<Output, Failure>?
    // Without a result: the `sync` that returns one allocates more and is slower.
    queue.sync {
      do throws(Failure) {
        outcome = .success(try work())
      } catch {
        outcome = .failure(error)
      }
    }
    guard let outcome else { fatalError("The queue \"\(queue.label)\" did not run its work.") }
    return try outcome.get()
  }
}
