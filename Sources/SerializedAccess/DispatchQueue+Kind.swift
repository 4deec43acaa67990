import Dispatch

// libdispatch has no API for the kind of a queue, and its only check traps without a message. Each
// of its objects begins with the address of its class, and serial, concurrent, global and main
// queues have different classes.
//
// If the kind cannot be determined, the queue counts as serial. That is safe, because each access
// also holds the value's `AccessLock`: on a concurrent queue, accesses would still exclude each
// other, and only their order would be lost.
extension DispatchQueue {
  /// Whether the queue can run several work items at the same time.
  var isConcurrent: Bool {
    guard let kind else { return false }
    return kind == DispatchQueue(label: "", attributes: .concurrent).kind
      || kind == DispatchQueue.global().kind
  }

  /// Whether the queue is the main one.
  var isMain: Bool {
    kind == DispatchQueue.main.kind
  }

  /// The address of the class of the queue; nil if it cannot be determined.
  private var kind: UInt? {
    for child in Mirror(reflecting: self).children where child.label == "__wrapped" {
      // Every libdispatch object is larger than a word, and `self` keeps it alive.
      guard let object = unsafe child.value as? OpaquePointer else { continue }
      return unsafe UnsafePointer<UInt>(object).pointee
    }
    return nil
  }
}
