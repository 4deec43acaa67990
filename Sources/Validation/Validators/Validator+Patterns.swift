import SerializedAccess
public import _StringProcessing

extension Validator<String> {
  /// A text of which a regular expression matches the whole.
  ///
  /// ```swift
  /// let postcode: Validator<String> = .matching(.custom("postcode")) { /[0-9]{5}/ }
  /// ```
  ///
  /// What does not match is `.notYet`, since a regular expression does not tell whether more could.
  ///
  /// - Parameters:
  ///   - requirement: What is demanded, in the app's words.
  ///   - regex: Makes the regular expression, once.
  /// - Returns: A validator of one check.
  public static func matching<Output>(
    _ requirement: ValidationMessage, _ regex: @Sendable () -> Regex<Output>
  ) -> Validator {
    let pattern = Pattern(regex)
    return Validator("matching", requirement) {
      $1.note(pattern.matches($0) ? .satisfied : .notYet)
    }
  }
}

// The regular expression is used inside the accesses alone, one after the other, and was made by a
// closure that cannot share what is not sendable.
private final class Pattern: @unchecked Sendable {
  private let matchesWhole: Serialized<(String) -> Bool>

  init<Output>(_ regex: @Sendable () -> Regex<Output>) {
    let regex = regex()
    matchesWhole = Serialized(wrappedValue: { $0.wholeMatch(of: regex) != nil })
  }

  func matches(_ text: String) -> Bool {
    matchesWhole.access { $0(text) }
  }
}
