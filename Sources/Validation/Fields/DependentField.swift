/// A field with checks that read another field.
protocol DependentField: AnyObject, Sendable {
  /// Evaluates the field again after a change of the other field.
  func dependencyDidChange()
}

/// A weak reference to a dependent field.
struct WeakDependent: Sendable {
  weak let field: (any DependentField)?
}
