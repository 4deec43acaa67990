/// A value in an object, for code that does not know the value's type.
final class Box<Value: Sendable>: Sendable {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}

/// A ``Box`` of any type.
typealias AnyBox = any AnyObject & Sendable
