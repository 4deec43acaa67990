/// A value in an object, such as for code that is independent of the value's type.
package final class Box<Value> {
  package let value: Value

  package init(_ value: Value) { self.value = value }
}

extension Box: Sendable where Value: Sendable {}
