/// Passwords that are common, expected or known to attackers, of which none may be chosen.
///
/// A password is compared as a whole, as NIST SP 800-63B-4 demands, and never in parts. Texts are equal if
/// they are canonically equivalent in Unicode. A list needs about 16 bytes for a password of up to 15
/// bytes, and more for a longer one.
public struct PasswordBlockList: Sendable {
  /// How passwords are compared.
  public enum Comparison: Hashable, Sendable {
    /// As they are, which is what NIST demands.
    case exact
    /// Without telling A to Z from a to z.
    case ignoringCase
  }

  private var passwords: Set<String>
  /// How passwords are compared.
  public let comparison: Comparison
  /// How many lines of a file were left out because they are not UTF-8, so that nobody can type them.
  public internal(set) var unreadableLineCount = 0

  /// A list of these passwords.
  ///
  /// - Parameters:
  ///   - passwords: What may not be chosen, in the form in which it is compared: normalized, if
  ///     passwords are.
  ///   - comparison: How passwords are compared.
  public init(_ passwords: some Sequence<String>, comparison: Comparison = .exact) {
    self.comparison = comparison
    self.passwords = []
    insert(passwords)
  }

  /// The number of different passwords.
  public var count: Int { passwords.count }

  /// Whether the list has a password.
  public func contains(_ password: String) -> Bool {
    passwords.contains(comparison.form(of: password))
  }

  /// Adds passwords, such as the name of the service and the person's user name.
  public mutating func insert(_ more: some Sequence<String>) {
    for password in more { passwords.insert(comparison.form(of: password)) }
  }
}

extension PasswordBlockList.Comparison {
  fileprivate func form(of password: String) -> String {
    if self == .exact { return password }
    var form = String.UnicodeScalarView()
    for scalar in password.unicodeScalars {
      // Of capitals, the bit makes small letters.
      form.append(
        ("A"..."Z").contains(scalar) ? Unicode.Scalar(UInt8(scalar.value) | 0x20) : scalar)
    }
    return String(form)
  }
}
