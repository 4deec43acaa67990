/// A value in an object, so that it is handled without knowledge of its type.
final class Kept<Value: Sendable>: Sendable {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}

typealias AnyKept = any AnyObject & Sendable
