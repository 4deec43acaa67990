import Dispatch

// libdispatch has no calls for this, and its only check ends the process without a message. But
// each of its objects begins with the address of its class, and serial, concurrent, global queues
// and the main one are of different classes.
extension DispatchQueue {
  /// Whether the queue runs several work items at the same time.
  var isConcurrent: Bool {
    guard let kind else { return false }
    return kind == DispatchQueue(label: "", attributes: .concurrent).kind
      || kind == DispatchQueue.global().kind
  }

  /// Whether the queue is the main one.
  var isMain: Bool {
    kind == DispatchQueue.main.kind
  }

  private var kind: UInt? {
    for child in Mirror(reflecting: self).children where child.label == "__wrapped" {
      // Every object of libdispatch is longer than this word, and `self` keeps it alive.
      guard let object = unsafe child.value as? OpaquePointer else { continue }
      return unsafe UnsafePointer<UInt>(object).pointee
    }
    return nil
  }
}
