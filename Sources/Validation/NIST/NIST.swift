/// What NIST SP 800-63B-4, section 3.1.1.2, says about passwords that people choose.
public enum NIST: Sendable {
  /// The fewest code points of a password that is used alone.
  public static let minimumAlone = 15
  /// The fewest code points of a password that is used with a second factor.
  public static let minimumWithSecondFactor = 8
  /// At least so many code points should be accepted.
  public static let leastMaximum = 64

  /// The fewest code points of a password, alone or with a second factor.
  public static func minimum(secondFactor: Bool) -> Int {
    secondFactor ? minimumWithSecondFactor : minimumAlone
  }
}
