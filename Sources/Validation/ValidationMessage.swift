public import PasswordRules

/// A requirement or a piece of advice, which a ``ValidationLanguage`` expresses as text.
///
/// Numbers are passed as their `description`. The messages of
/// ``Validator/password(_:unit:matching:)`` and
/// ``Validator/nist(secondFactor:blockList:maximum:normalizing:)`` contain no part of the password.
public enum ValidationMessage: Hashable, Sendable {
  /// A kind of run of characters.
  public enum Run: Hashable, Sendable, CaseIterable {
    /// Equal characters.
    case repeating
    /// Characters that ascend or descend in A–Z, a–z or 0–9.
    case sequential
    /// Equal or sequential characters.
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
  /// The requirement must hold for each element.
  indirect case each(ValidationMessage)

  /// The minimum number of characters, counted in the unit.
  case minimumLength(Int, LengthUnit)
  /// The maximum number of characters, counted in the unit.
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
  /// The positions, in code points, of the characters to remove or replace.
  case removeAt([Range<Int>])
  /// The maximum length of a run.
  case maximumRun(Run, Int)
  /// A run that is too long, at a position in code points; the text is nil if secret or too long.
  case shortenRun(Run, String?, at: Range<Int>, limit: Int)
  /// Other characters must be deleted or replaced, because there is no room for the missing ones.
  case replaceCharacters

  /// The string must begin with this prefix.
  case prefix(String)
  /// The string must end with this suffix.
  case suffix(String)
  /// No white space is allowed at the beginning or end.
  case trimmed
  /// No line break is allowed.
  case singleLine
  /// The string must be an email address.
  case email

  /// The value must be one of these values. The array is empty if there are too many to list.
  case oneOf([String])
  /// The value must not be taken or reserved.
  case noneOf
  /// The value must be equal to this value, which is nil if it must not be shown.
  case equal(String?)
  /// The value must be equal to that of another field.
  case equalToOther
  /// The value must not contain that of another field.
  case notContainingOther

  /// The value must be greater than or equal to this value.
  case minimum(String)
  /// The value must be less than or equal to this value.
  case maximum(String)
  /// The value must be less than this value.
  case lessThan(String)
  /// The value must be greater than this value.
  case greaterThan(String)
  /// The value must be a multiple of this number.
  case multiple(of: String)
  /// The value must be a finite number.
  case finite

  /// The password must not be on a list of common, expected, or compromised passwords.
  case notBlocked
  /// The user must choose another password, because this one is on the list.
  case chooseAnother

  /// All of these requirements must hold.
  case all([ValidationMessage])
  /// At least one of these requirements must hold.
  case either([ValidationMessage])
  /// This requirement must not hold.
  indirect case not(ValidationMessage)
  /// A message defined by the app, with a code and parameters.
  case custom(String, [String] = [])
}
