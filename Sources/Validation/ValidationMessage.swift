public import PasswordRules

/// What a check demands or advises: a code with its parameters, which a ``ValidationLanguage`` turns into
/// a sentence.
///
/// A language's texts are one `switch`, so that the compiler names what a translation lacks. Numbers are
/// parameters as Swift describes them. What ``Validator/password(_:unit:reading:)`` and
/// ``Validator/nist(secondFactor:blockList:maximum:normalizing:)`` say has no part of the password in it.
public enum ValidationMessage: Hashable, Sendable {
  /// A kind of run of characters.
  public enum Run: Hashable, Sendable, CaseIterable {
    /// The same character again.
    case repeating
    /// Neighbours in A–Z, a–z or 0–9, upwards or downwards.
    case sequential
    /// Either.
    case consecutive
  }

  /// There must be something.
  case notEmpty
  /// There must be a value.
  case present

  /// There must be at least so many elements.
  case minimumCount(Int)
  /// There may be at most so many elements.
  case maximumCount(Int)
  /// So many elements are to be added.
  case addElements(Int)
  /// So many elements are to be removed.
  case removeElements(Int)
  /// No element may be there twice.
  case unique
  /// This must hold of each element.
  indirect case each(ValidationMessage)

  /// A text must have at least so many characters, counted in the unit.
  case minimumLength(Int, LengthUnit)
  /// A text may have at most so many characters, counted in the unit.
  case maximumLength(Int, LengthUnit)
  /// So many characters are to be added.
  case addCharacters(Int, LengthUnit)
  /// So many characters are to be removed.
  case removeCharacters(Int, LengthUnit)

  /// Only characters of these classes may be used.
  case onlyOf([CharacterClass])
  /// At least so many characters must be of one of these classes.
  case minimumOf(Int, [CharacterClass])
  /// So many characters of one of these classes are to be added.
  case addOf(Int, [CharacterClass])
  /// These characters are to be removed or replaced.
  case remove([String])
  /// The characters at these places, in code points, are to be removed or replaced.
  case removeAt([Range<Int>])
  /// At most so many characters in a row may form such a run.
  case maximumRun(Run, Int)
  /// The run at this place, in code points, is longer than the limit; its text is nil where it is not to be shown.
  case shortenRun(Run, String?, at: Range<Int>, limit: Int)
  /// What is missing does not fit any more, so that something is to be deleted or replaced first.
  case makeRoom

  /// A text must begin with this.
  case prefix(String)
  /// A text must end with this.
  case suffix(String)
  /// No white space may stand at the ends.
  case trimmed
  /// There may be no line break.
  case singleLine
  /// It must be an email address.
  case email

  /// It must be one of these; none are named where there are too many to name.
  case oneOf([String])
  /// It must not be one of the values that are taken or reserved.
  case noneOf
  /// It must be this; nil where it is not to be shown.
  case equal(String?)
  /// It must be the value of another field.
  case equalToOther
  /// The text of another field must not occur in it.
  case notContainingOther

  /// It must be at least this.
  case minimum(String)
  /// It must be at most this.
  case maximum(String)
  /// It must be less than this.
  case lessThan(String)
  /// It must be more than this.
  case moreThan(String)
  /// It must be a multiple of this.
  case multiple(of: String)
  /// It must be a finite number.
  case finite

  /// It must not be on a list of passwords that are common, expected or compromised.
  case notBlocked
  /// It is on that list, and another is to be chosen.
  case chooseAnother

  /// All of these must hold.
  case all([ValidationMessage])
  /// One of these must hold.
  case either([ValidationMessage])
  /// This must not hold.
  indirect case not(ValidationMessage)
  /// What the app demands, by its own code and parameters in the app's order.
  case custom(String, [String] = [])
}
