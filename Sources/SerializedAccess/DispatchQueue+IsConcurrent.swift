import Dispatch

extension DispatchQueue {
  /// Whether the queue runs several work items at the same time.
  ///
  /// libdispatch has no call that tells, and its only check ends the process without a word. But
  /// each of its objects begins with the address of its class, and serial, concurrent and global
  /// queues are of different classes: a queue is concurrent if it begins like one that is.
  var isConcurrent: Bool {
    guard let kind else { return false }
    return kind == DispatchQueue(label: "", attributes: .concurrent).kind
      || kind == DispatchQueue.global().kind
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
