import Dispatch

/// A serial queue, provided by the app, on which every access to a value runs.
final class CustomQueue: Sendable {
  private let queue: DispatchQueue
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

  deinit { queue.setSpecific(key: key, value: nil) }

  var isCurrent: Bool { DispatchQueue.getSpecific(key: key) != nil }
}

// libdispatch has no API for the kind of a queue. Its objects begin with the address of a class, of
// which serial, concurrent, global and main queues have different ones. A queue of unknown kind is
// treated as serial; on a concurrent one, only the order of accesses would be lost.
extension DispatchQueue {
  var isConcurrent: Bool {
    guard let kind else { return false }
    return kind == DispatchQueue(label: "", attributes: .concurrent).kind
      || kind == DispatchQueue.global().kind
  }

  var isMain: Bool { kind == DispatchQueue.main.kind }

  /// The address of the class of the queue; nil if it cannot be determined.
  private var kind: UInt? {
    for child in Mirror(reflecting: self).children where child.label == "__wrapped" {
      guard let object = unsafe child.value as? OpaquePointer else { continue }
      return unsafe UnsafePointer<UInt>(object).pointee
    }
    return nil
  }
}
