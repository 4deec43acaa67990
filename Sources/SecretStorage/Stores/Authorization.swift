/// What an access to a store is authorised by: what a person proved, and an application password.
///
/// Only an ``AuthenticationContext`` makes one, so that a store can rely on it.
public struct Authorization: Sendable {
  /// The authorisation of an access that asks nobody, such as reading a property.
  public static let none = Authorization()

  /// What a person proved.
  var proofs: AuthenticationProofs = []
  /// What was enrolled when biometry was proved, where the authenticator tells.
  var enrolledSet: [UInt8]?
  /// The end of the context that it is from; nil without one.
  var end: ContextEnd?
  /// Who asks, whether or not anybody was asked.
  var authenticator: (any Authenticator)?
  /// The password that items with ``AccessFlags/applicationPassword`` are sealed under.
  var applicationPassword: ApplicationPassword?
  /// The password that such an item is sealed under from now on, when it is another one.
  var newApplicationPassword: ApplicationPassword?
  /// What each guess at the password that an item gets shall cost.
  var applicationPasswordCost = ScryptCost.standard

  /// What a person must prove yet to read an item with these flags, any one of which brings them
  /// further; nil when nothing is left.
  ///
  /// It says nothing on an application password, which only opening the item can tell, nor whether
  /// the fingerprints and faces that are enrolled are those of ``AccessFlags/biometryCurrentSet``.
  ///
  /// - Throws: ``SecretStoreError/invalid(_:)`` for a mix of flags without meaning, or
  ///   ``SecretStoreError/unsupported(_:)`` for flags that this version does not know.
  public func missingProof(
    for flags: AccessFlags
  ) throws(SecretStoreError) -> AuthenticationProofs? {
    try AccessConstraints(flags).missing(from: proofs)
  }
}

extension Authorization: CustomReflectable {
  /// A mirror without children: neither a password nor a proof is shown.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
