import Dispatch

/// A serial queue of the caller's, on which every access to a value runs.
final class CallersQueue: Sendable {
  let queue: DispatchQueue
  /// Whether suspending the queue keeps it still; libdispatch ignores that for the main queue.
  let canBeSuspended: Bool
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
    canBeSuspended = !queue.isMain
    queue.setSpecific(key: mark, value: true)
  }

  deinit {
    queue.setSpecific(key: mark, value: nil)
  }

  /// Whether the calling code runs on the queue already.
  var isCurrent: Bool {
    DispatchQueue.getSpecific(key: mark) != nil
  }
}
