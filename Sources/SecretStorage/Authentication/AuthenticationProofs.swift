/// A set of proofs of the user's identity or presence.
public struct AuthenticationProofs: OptionSet, Hashable, Sendable {
  /// The bits of the set.
  public let rawValue: UInt8

  /// Creates a set from its bits.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// The user entered the passphrase of the store or the login password.
  public static let passcode = AuthenticationProofs(rawValue: 1 << 0)
  /// The user presented an enrolled fingerprint or face.
  public static let biometry = AuthenticationProofs(rawValue: 1 << 1)
  /// The user is present, as determined by the app.
  public static let presence = AuthenticationProofs(rawValue: 1 << 2)
  /// All proofs.
  public static let any: AuthenticationProofs = [.passcode, .biometry, .presence]
}

extension AuthenticationProofs: CustomStringConvertible {
  /// The names of the proofs, joined by "or".
  public var description: String {
    let names: [(AuthenticationProofs, String)] = [
      (.passcode, "a passcode"), (.biometry, "a fingerprint or face"), (.presence, "presence"),
    ]
    return names.filter { contains($0.0) }.map(\.1).joined(separator: " or ")
  }
}
