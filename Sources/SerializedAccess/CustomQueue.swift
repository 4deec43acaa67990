import Dispatch

/// A serial queue from the app, on which every access to a value runs.
final class CustomQueue: Sendable {
  let queue: DispatchQueue
  /// Whether suspending the queue stops it; libdispatch ignores suspensions of the main queue.
  let canBeSuspended: Bool
  // Each value has its own key, because the queue may target the queue of another value.
  private let key = DispatchSpecificKey<Bool>()

  init(_ queue: DispatchQueue) {
    if queue.isConcurrent {
      fatalError(
        """
        The queue "\(queue.label)" is concurrent, but Serialized requires a serial queue. Create \
        the queue without the attribute `.concurrent`.
        """)
    }
    self.queue = queue
    canBeSuspended = !queue.isMain
    queue.setSpecific(key: key, value: true)
  }

  deinit {
    queue.setSpecific(key: key, value: nil)
  }

  /// Whether the calling code is running on the queue.
  var isCurrent: Bool {
    DispatchQueue.getSpecific(key: key) != nil
  }
}
