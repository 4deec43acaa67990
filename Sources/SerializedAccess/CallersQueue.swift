import Dispatch

/// A caller's serial queue, on which every access to a value runs.
final class CallersQueue: Sendable {
  let queue: DispatchQueue
  /// Whether suspending the queue stops it; libdispatch ignores suspensions of the main queue.
  let canBeSuspended: Bool
  // One key per value: the queue may target the queue of another value.
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

  /// Whether the calling code already runs on the queue.
  var isCurrent: Bool {
    DispatchQueue.getSpecific(key: mark) != nil
  }
}

/// A pause of a queue on behalf of another thread.
///
/// An accessor cannot yield from inside `sync`. Instead, the queue runs a work item that waits
/// until the accessor has finished.
final class QueueSuspension: @unchecked Sendable {
  // `@unchecked`: the requesting thread waits while `preparation` and `completion` run;
  // `completion` is written before `ended` is signalled and read after.
  private let preparation: () -> Void
  private var completion: () -> Void = {}
  private let ended = DispatchSemaphore(value: 0)
  private let completed = DispatchSemaphore(value: 0)

  /// Enqueues the pause, and waits until the queue has run `preparation`.
  init(on queue: DispatchQueue, preparation: @escaping () -> Void) {
    self.preparation = preparation
    let begun = DispatchSemaphore(value: 0)
    queue.async { [self] in
      self.preparation()
      begun.signal()
      ended.wait()
      completion()
      completed.signal()
    }
    begun.wait()
  }

  /// Lets the queue run `completion` and continue; waits for `completion`.
  func end(completion: @escaping () -> Void) {
    self.completion = completion
    ended.signal()
    completed.wait()
    self.completion = {}
  }
}

// libdispatch has no calls for this, and its only check ends the process without a message. Each of
// its objects begins with the address of its class, and serial, concurrent, global and main queues
// have different classes.
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

extension DispatchQueue {
  /// Runs `work` on the queue and waits for it; preserves the type of its error.
  func run<Output, Failure: Error>(
    _ work: () throws(Failure) -> Output
  ) throws(Failure) -> Output {
    var outcome: Result<Output, Failure>?
    // The overload of `sync` that returns a result allocates more and is slower.
    sync {
      do throws(Failure) {
        outcome = .success(try work())
      } catch {
        outcome = .failure(error)
      }
    }
    guard let outcome else { fatalError("The queue \"\(label)\" did not run its work.") }
    return try outcome.get()
  }
}
