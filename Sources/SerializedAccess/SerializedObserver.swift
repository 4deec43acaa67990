/// One who hears of the changes of a value.
final class SerializedObserver<Value>: @unchecked Sendable {
  let notify: @Sendable (Value, Value) -> Void
  // `@unchecked`: reached only while the exclusion of the value is held.
  var isCancelled = false

  init(notify: @escaping @Sendable (Value, Value) -> Void) {
    self.notify = notify
  }
}
