import Dispatch

/// A common wrapper of apps: a queue around reading and around writing.
@propertyWrapper final class QueueWrapper<Value>: @unchecked Sendable {
  // `@unchecked`: the value is accessed only on the queue.
  private let queue = DispatchQueue(label: "QueueWrapper")
  private var value: Value

  init(wrappedValue: Value) {
    value = wrappedValue
  }

  var wrappedValue: Value {
    get { queue.sync { value } }
    set { queue.sync { value = newValue } }
  }
}
