/// The proofs and the application password that authorize access to an item.
///
/// Stores can rely on it: only an ``AuthenticationContext`` can create an instance with proofs.
public struct Authorization: Sendable {
  /// The authorization without proofs, for an access without a prompt, such as reading a property.
  public static let none = Authorization()

  var proofs: AuthenticationProofs = []
  /// The identifier of the fingerprints or faces enrolled at the last biometric check, even if the
  /// check discarded the proof; nil if there was none, or if it is unknown.
  var enrolledSet: [UInt8]?
  var context: AuthenticationContext?
  /// The authenticator of the context or the store, even if it was not used.
  var authenticator: (any Authenticator)?

  func checkContext() throws(SecretStoreError) {
    if context?.cancellation.isRequested == true { throw .cancelled }
  }

  /// Returns the proofs of which one is still needed to read an item with flags; nil if none is.
  ///
  /// The method checks neither the application password, because only decrypting the item can check
  /// it, nor whether the enrolled fingerprints and faces satisfy
  /// ``AccessFlags/biometryCurrentSet``.
  ///
  /// - Throws: ``SecretStoreError/invalid(_:)`` for an invalid combination of flags, or
  ///   ``SecretStoreError/unsupported(_:)`` for unknown flags.
  public func missingProof(
    for flags: AccessFlags
  ) throws(SecretStoreError) -> AuthenticationProofs? {
    try AccessConstraints(flags).missing(from: proofs)
  }
}

extension Authorization: CustomReflectable {
  /// A mirror without children, so that neither passwords nor proofs are shown.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
