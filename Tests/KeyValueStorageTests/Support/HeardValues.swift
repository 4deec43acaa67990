import Concurrency
import Dispatch
import TestSupport

@testable import KeyValueStorage

/// The values of a property that an observer receives until this object is released.
final class HeardValues: Sendable {
  private let heard = Heard<Int>()
  private let observation: KeyValueObservation
  /// Retains the store, which an observation does not.
  private let property: StoredValue<Int>

  init(of property: StoredValue<Int>) {
    self.property = property
    observation = property.observe { [heard] in heard.hear($1) }
  }

  var all: [Int] { heard.all }

  /// Waits until the newest value is this one.
  func wait(for value: Int) { heard.wait(for: value) }
}

extension KeyValueStore {
  /// Waits until the observers and the handler of failures have been called.
  func finishHandlers() {
    let isOver = DispatchSemaphore(value: 0)
    state.withLock { $0.observers }.queue.run { isOver.signal() }
    isOver.wait()
  }
}
