/// The value at one moment, in an object that is only made when somebody needs it.
final class Snapshot<Value> {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}
