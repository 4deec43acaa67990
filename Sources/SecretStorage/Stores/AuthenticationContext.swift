/// What a person has proven for an access to a store.
///
/// No store of this version can ask a person, so the only context is that of an access which nobody
/// authorised.
public struct AuthenticationContext: Hashable, Sendable {
  /// The context of an access that asks nobody, such as reading a property.
  public static let implicit = AuthenticationContext()
}
