public import SecretStorage

// Secrets as literals.
extension Secret: ExpressibleByStringInterpolation {
  /// Makes a secret of a text in UTF-8.
  public init(stringLiteral text: String) { self.init(text.utf8) }
}
