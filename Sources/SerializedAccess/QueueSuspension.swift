import Dispatch

/// A work item that suspends a queue while another thread changes a value in place.
///
/// An accessor cannot yield inside `sync`. Instead, the queue runs a work item that waits until the
/// accessor has finished.
final class QueueSuspension: @unchecked Sendable {
  // `@unchecked`: the other thread waits while `preparation` and `completion` run. `completion` is
  // written before `ended` is signalled, and read after.
  private let preparation: () -> Void
  private var completion: () -> Void = {}
  private let ended = DispatchSemaphore(value: 0)
  private let completed = DispatchSemaphore(value: 0)

  /// Enqueues the work item, and waits until the queue has run `preparation`.
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

  /// Resumes the queue, and waits until it has run `completion`.
  func end(completion: @escaping () -> Void) {
    self.completion = completion
    ended.signal()
    completed.wait()
    self.completion = {}
  }
}
