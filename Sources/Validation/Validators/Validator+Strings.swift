import Concurrency
public import PasswordRules
public import _StringProcessing

// Checks of the length, the ends, the lines and the pattern of a text.
extension Validator<String> {
  /// Returns a validator with one check per limit of a range of lengths, in user-perceived
  /// characters.
  public static func count(_ range: some RangeExpression<Int>) -> Validator {
    count(range, unit: .graphemeClusters)
  }

  /// Returns a validator with one check per limit of a range of lengths in a unit.
  ///
  /// Too few characters are `.incomplete`. Too many are `.violated`, with the positions of the
  /// excess. The range must not be empty.
  public static func count(_ range: some RangeExpression<Int>, unit: LengthUnit) -> Validator {
    let bounds = CountBounds(range, unit: unit)
    return Validator(checks: bounds.checks()) { string, results in
      bounds.record(unit.length(of: string), in: &results) { unit.excess(of: string, over: $0) }
    }
  }

  /// Returns a validator for a prefix; a part of the prefix is `.incomplete`.
  public static func prefix(_ prefix: String) -> Validator {
    custom("prefix", .prefix(prefix)) {
      $0.hasPrefix(prefix) ? .satisfied : prefix.hasPrefix($0) ? .incomplete : .violated
    }
  }

  /// Returns a validator for a suffix; other strings are `.incomplete`.
  public static func suffix(_ suffix: String) -> Validator {
    custom("suffix", .suffix(suffix)) { $0.hasSuffix(suffix) }
  }

  /// A validator that forbids white space at the beginning, which is `.violated`, or at the end,
  /// which is `.incomplete`, because another word may follow.
  public static var trimmed: Validator {
    Validator("trimmed", .trimmed) { string, results in
      let scalars = string.unicodeScalars
      let leading = scalars.prefix { $0.properties.isWhitespace }.count
      let trailing = scalars.reversed().prefix { $0.properties.isWhitespace }.count
      if leading == 0, trailing == 0 { return results.record(.satisfied) }
      let count = scalars.count
      // If the string contains only white space, all of it is leading.
      let positions = leading == count ? [0..<count] : [0..<leading, (count - trailing)..<count]
      results.record(
        leading > 0 ? .violated : .incomplete, positions: positions.filter { !$0.isEmpty })
    }
  }

  /// A validator that forbids line breaks, as Unicode defines them.
  public static var singleLine: Validator {
    Validator("singleLine", .singleLine) { string, results in
      let positions = string.positions { Character($0).isNewline }
      results.record(positions.isEmpty ? .satisfied : .violated, positions: positions)
    }
  }

  /// Returns a validator for a regular expression, created once, that must match the whole string.
  ///
  /// Other strings are `.incomplete`.
  ///
  /// ```swift
  /// let postcode: Validator<String> = .matching(.custom("postcode")) { /[0-9]{5}/ }
  /// ```
  public static func matching<Output>(
    _ requirement: ValidationMessage, _ regex: @Sendable () -> Regex<Output>
  ) -> Validator {
    // `Regex` is not `Sendable`.
    let pattern = Lock(regex())
    return custom("matching", requirement) { string in
      pattern.withLock { string.wholeMatch(of: $0) != nil }
    }
  }
}

extension String {
  /// Returns the positions, in code points, of the characters that satisfy a predicate.
  func positions(where matches: (Unicode.Scalar) -> Bool) -> [Range<Int>] {
    if !unicodeScalars.contains(where: matches) { return [] }
    return Array(Array(unicodeScalars).indices(where: matches).ranges)
  }
}
