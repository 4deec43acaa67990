/// The proofs and the application password that authorize access to an item.
///
/// Stores can rely on an authorization, because only an ``AuthenticationContext`` can create one.
public struct Authorization: Sendable {
  /// The authorization of an access that does not prompt the user, such as reading a property.
  public static let none = Authorization()

  var proofs: AuthenticationProofs = []
  /// The identifier of the fingerprints or faces enrolled at the time of the proof, if known.
  var enrolledSet: [UInt8]?
  /// The cancellation state of the context that created the authorization; nil without a context.
  var cancellation: Cancellation?
  /// The authenticator of the context or the store, even if it was not used.
  var authenticator: (any Authenticator)?
  var applicationPassword: ApplicationPassword?
  /// Replaces the application password of an item that is saved, unless nil.
  var newApplicationPassword: ApplicationPassword?
  /// The key derivation cost for items that are saved.
  var applicationPasswordCost = ScryptCost.standard

  func checkContext() throws(SecretStoreError) {
    if cancellation?.isRequested == true { throw .cancelled }
  }

  /// Returns the proofs of which one is still needed to read an item with the given flags; nil if
  /// no proof is missing.
  ///
  /// This checks neither the application password, which only decrypting the item can check, nor
  /// whether the enrolled fingerprints and faces satisfy ``AccessFlags/biometryCurrentSet``.
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
