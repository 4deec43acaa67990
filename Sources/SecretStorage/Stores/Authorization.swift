/// What an access to a store is authorised by: what a person proved, and an application password.
///
/// Only an ``AuthenticationContext`` makes one, so that a store can rely on it.
public struct Authorization: Sendable {
  /// The authorisation of an access that asks nobody, such as reading a property.
  public static let none = Authorization()

  /// What a person proved.
  var proofs: AuthenticationProofs = []
  /// What the authenticator can prove, whether or not anybody was asked.
  var capabilities: AuthenticationProofs = []
  /// The digest of what is enrolled, where the authenticator tells.
  var enrolledSet: [UInt8]?
  /// The password that items with ``AccessFlags/applicationPassword`` are sealed under.
  var applicationPassword: ApplicationPassword?
  /// The password that such an item is sealed under from now on, when it is another one.
  var newApplicationPassword: ApplicationPassword?
}
