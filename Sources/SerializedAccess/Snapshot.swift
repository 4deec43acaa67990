/// The value at one moment, in an object that is made only where it is needed.
final class Snapshot<Value> {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}
