public import PasswordRules

/// What a check demands or advises: a code with its parameters, which a ``ValidationLanguage`` turns into
/// a sentence.
///
/// A language's texts are one `switch`, so that the compiler names what a translation lacks.
public indirect enum ValidationMessage: Hashable, Sendable {
  /// There must be something.
  case notEmpty
  /// There must be at least so many elements.
  case minimumCount(Int)
  /// There may be at most so many elements.
  case maximumCount(Int)
  /// So many elements are to be added.
  case addElements(Int)
  /// So many elements are to be removed.
  case removeElements(Int)
  /// What a rule of a password rule set says.
  case passwordRule(PasswordRule)
  /// The value must be that of another field.
  case equalToOther
  /// The text of another field must not occur in it.
  case notContainingOther
  /// One of these must hold.
  case either([ValidationMessage])
  /// This must not hold.
  case not(ValidationMessage)
  /// What the app demands, by its own code and parameters in the app's order.
  case custom(String, [String] = [])
}
