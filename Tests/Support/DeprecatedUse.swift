/// A suite of tests that use deprecated names.
///
/// Swift Testing takes no deprecated function, and other uses of such names cause warnings. But an
/// implementation of a requirement may be deprecated, and a call through the requirement is silent.
package protocol DeprecatedUse {
  associatedtype Fact

  /// Tests one fact; it may be deprecated.
  func verify(_ fact: Fact) throws
}

extension DeprecatedUse {
  /// Tests one fact, without a warning.
  package func check(_ fact: Fact) throws { try verify(fact) }
}
