public import PasswordRules

/// A requirement or advice of a check: a code with parameters, which a ``ValidationLanguage`` turns
/// into a sentence.
///
/// A language's texts are one `switch`, so the compiler reports missing translations. Numbers are
/// parameters in Swift's description. Messages of ``Validator/password(_:unit:reading:)`` and
/// ``Validator/nist(secondFactor:blockList:maximum:normalizing:)`` contain no part of the password.
public enum ValidationMessage: Hashable, Sendable {
  /// A kind of run of characters.
  public enum Run: Hashable, Sendable, CaseIterable {
    /// Equal characters.
    case repeating
    /// Neighbours in A–Z, a–z or 0–9, ascending or descending.
    case sequential
    /// Equal or neighbouring characters.
    case consecutive
  }

  /// The value must not be empty.
  case notEmpty
  /// There must be a value.
  case present

  /// The minimum number of elements.
  case minimumCount(Int)
  /// The maximum number of elements.
  case maximumCount(Int)
  /// The number of elements to add.
  case addElements(Int)
  /// The number of elements to remove.
  case removeElements(Int)
  /// No duplicate elements are allowed.
  case unique
  /// The message must hold for each element.
  indirect case each(ValidationMessage)

  /// The minimum number of characters of a text, counted in the unit.
  case minimumLength(Int, LengthUnit)
  /// The maximum number of characters of a text, counted in the unit.
  case maximumLength(Int, LengthUnit)
  /// The number of characters to add.
  case addCharacters(Int, LengthUnit)
  /// The number of characters to remove.
  case removeCharacters(Int, LengthUnit)

  /// Only characters of these classes are allowed.
  case onlyOf([CharacterClass])
  /// The minimum number of characters of these classes.
  case minimumOf(Int, [CharacterClass])
  /// The number of characters of these classes to add.
  case addOf(Int, [CharacterClass])
  /// The characters to remove or replace.
  case remove([String])
  /// The places, in code points, of characters to remove or replace.
  case removeAt([Range<Int>])
  /// The maximum length of a run.
  case maximumRun(Run, Int)
  /// The place, in code points, of a run that is too long; its text is nil if it is secret.
  case shortenRun(Run, String?, at: Range<Int>, limit: Int)
  /// Missing characters do not fit; others must be deleted or replaced first.
  case makeRoom

  /// The text must begin with this.
  case prefix(String)
  /// The text must end with this.
  case suffix(String)
  /// No white space is allowed at the ends.
  case trimmed
  /// No line break is allowed.
  case singleLine
  /// The text must be an email address.
  case email

  /// The value must be one of these; empty if there are too many to list.
  case oneOf([String])
  /// The value must not be one that is taken or reserved.
  case noneOf
  /// The value must be equal to this; nil if it must not be shown.
  case equal(String?)
  /// The value must be equal to that of another field.
  case equalToOther
  /// The value must not contain the text of another field.
  case notContainingOther

  /// The value must be at least this.
  case minimum(String)
  /// The value must be at most this.
  case maximum(String)
  /// The value must be less than this.
  case lessThan(String)
  /// The value must be more than this.
  case moreThan(String)
  /// The value must be a multiple of this.
  case multiple(of: String)
  /// The value must be a finite number.
  case finite

  /// The value must not be on a list of common, expected or compromised passwords.
  case notBlocked
  /// The value is on that list; the user must choose another.
  case chooseAnother

  /// All of these must hold.
  case all([ValidationMessage])
  /// One of these must hold.
  case either([ValidationMessage])
  /// This must not hold.
  indirect case not(ValidationMessage)
  /// A requirement of the app, with its own code and parameters.
  case custom(String, [String] = [])
}
