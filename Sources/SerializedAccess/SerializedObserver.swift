/// A closure that is called at the changes of a value.
final class SerializedObserver<Value>: @unchecked Sendable {
  let notify: @Sendable (Value, Value) -> Void
  // `@unchecked`: both are guarded by the exclusion of the value.
  var isAdded = false
  var isCancelled = false

  init(notify: @escaping @Sendable (Value, Value) -> Void) {
    self.notify = notify
  }
}
