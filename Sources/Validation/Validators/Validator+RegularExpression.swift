import SerializedAccess
public import _StringProcessing

extension Validator<String> {
  /// Returns a check that a regular expression matches the whole text; other texts are
  /// `.incomplete`.
  ///
  /// ```swift
  /// let postcode: Validator<String> = .matching(.custom("postcode")) { /[0-9]{5}/ }
  /// ```
  ///
  /// - Parameters:
  ///   - requirement: The requirement.
  ///   - regex: A closure that returns the regular expression. It is called once.
  /// - Returns: A validator with one check.
  public static func matching<Output>(
    _ requirement: ValidationMessage, _ regex: @Sendable () -> Regex<Output>
  ) -> Validator {
    let pattern = Pattern(regex)
    return Validator("matching", requirement) {
      $1.record(pattern.matches($0) ? .satisfied : .incomplete)
    }
  }
}

// `@unchecked`, because `Regex` is not `Sendable`. It is used only in serialized accesses, and the
// `@Sendable` closure that creates it cannot capture values that are not `Sendable`.
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
