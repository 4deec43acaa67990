/// A suite of tests that use deprecated names.
///
/// Swift Testing takes no deprecated function, and in any other the compiler warns of such names. But what
/// fulfils a requirement may be deprecated, and nobody is warned who calls it by the requirement.
package protocol DeprecatedUse {
  /// What is tested, by name.
  associatedtype Fact

  /// Tests one fact; it may be deprecated.
  func verify(_ fact: Fact) throws
}

extension DeprecatedUse {
  /// Tests one fact, without a warning.
  package func check(_ fact: Fact) throws { try verify(fact) }
}
