import Dispatch

/// A stretch of time in which a queue stands still for another thread.
///
/// An accessor cannot yield from inside `sync`: instead, the queue runs a work item that waits until
/// the accessor has finished.
final class QueueTurn: @unchecked Sendable {
  // `@unchecked`: the thread that asked waits while `preparation` and `completion` run, and
  // `completion` is written before `ended` is signalled and read after.
  private let preparation: () -> Void
  private var completion: () -> Void = {}
  private let ended = DispatchSemaphore(value: 0)
  private let completed = DispatchSemaphore(value: 0)

  /// Waits until the queue has come to this turn and has run `preparation`.
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

  /// Lets the queue run `completion` and go on, and waits for the former.
  func end(completion: @escaping () -> Void) {
    self.completion = completion
    ended.signal()
    completed.wait()
    self.completion = {}
  }
}
