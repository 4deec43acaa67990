private let listedValueLimit = 8

extension Validator where Value: Equatable & Sendable & SendableMetatype {
  /// Returns a validator that allows only some values; others are `.violated`.
  ///
  /// The message lists the values if there are at most eight.
  public static func oneOf(_ values: [Value]) -> Validator {
    let listed = values.count > listedValueLimit ? [] : values.map { "\($0)" }
    return custom("oneOf", .oneOf(listed), failure: .violated) { values.contains($0) }
  }

  /// Returns a validator that excludes some values, which messages do not contain.
  ///
  /// An excluded value is `.incomplete`, because appending text can change it.
  public static func noneOf(_ values: [Value]) -> Validator {
    custom("noneOf", .noneOf) { !values.contains($0) }
  }

  /// Returns a validator that requires a value; other values are `.violated`.
  ///
  /// Messages do not contain the expected value, but show `text` unless it is nil.
  public static func equalTo(_ value: Value, shownAs text: String? = nil) -> Validator {
    custom("equalTo", .equal(text), failure: .violated) { $0 == value }
  }
}

extension Validator<String> {
  /// Returns a validator that allows only some strings; a prefix of one is `.incomplete`.
  ///
  /// The message lists the strings if there are at most eight.
  public static func oneOf(_ values: [String]) -> Validator {
    custom("oneOf", .oneOf(values.count > listedValueLimit ? [] : values)) { string in
      if values.contains(string) { return .satisfied }
      return values.contains { $0.hasPrefix(string) } ? .incomplete : .violated
    }
  }

  /// Returns a validator that requires a string; a prefix of it is `.incomplete`.
  ///
  /// Messages do not contain the expected string, but show `text` unless it is nil.
  public static func equalTo(_ value: String, shownAs text: String? = nil) -> Validator {
    custom("equalTo", .equal(text)) { $0.state(toward: value) }
  }
}

extension StringProtocol {
  /// Returns the state of a string that must become equal to another.
  func state(toward other: Self) -> ValidationCheck.State {
    self == other ? .satisfied : other.hasPrefix(self) ? .incomplete : .violated
  }
}

extension Validator where Value: Numeric & Comparable & SendableMetatype {
  /// A validator for a positive number; zero is `.incomplete`, and a negative number `.violated`.
  public static var positive: Validator {
    custom("positive", .greaterThan("0")) {
      $0 > .zero ? .satisfied : $0 < .zero ? .violated : .incomplete
    }
  }
}

extension Validator where Value: BinaryInteger & Sendable & SendableMetatype {
  /// Returns a validator for a multiple of a number; only zero is a multiple of zero.
  ///
  /// Other numbers are `.incomplete`, because appending digits can result in a multiple.
  public static func multiple(of divisor: Value) -> Validator {
    custom("multiple", .multiple(of: "\(divisor)")) { $0.isMultiple(of: divisor) }
  }
}

extension Validator where Value: FloatingPoint & SendableMetatype {
  /// A validator for a finite number; infinity and NaN are `.violated`.
  public static var finite: Validator {
    custom("finite", .finite, failure: .violated) { $0.isFinite }
  }
}

extension Validator where Value: Comparable & Sendable & SendableMetatype {
  /// Returns a validator for a minimum; a lower value is `.incomplete`, because digits may follow.
  public static func atLeast(_ minimum: Value) -> Validator {
    custom("atLeast", .minimum("\(minimum)")) { $0 >= minimum }
  }

  /// Returns a validator for a maximum; a higher value is `.violated`.
  public static func atMost(_ maximum: Value) -> Validator {
    custom("atMost", .maximum("\(maximum)"), failure: .violated) { $0 <= maximum }
  }

  /// Returns a validator for an exclusive upper bound; other values are `.violated`.
  public static func lessThan(_ limit: Value) -> Validator {
    custom("lessThan", .lessThan("\(limit)"), failure: .violated) { $0 < limit }
  }

  /// Returns a validator for each bound of a closed range.
  public static func `in`(_ range: ClosedRange<Value>) -> Validator {
    .atLeast(range.lowerBound) && .atMost(range.upperBound)
  }

  /// Returns a validator for each bound of a half-open range.
  public static func `in`(_ range: Range<Value>) -> Validator {
    .atLeast(range.lowerBound) && .lessThan(range.upperBound)
  }

  /// Returns a validator for a minimum, as ``atLeast(_:)`` does.
  public static func `in`(_ range: PartialRangeFrom<Value>) -> Validator {
    .atLeast(range.lowerBound)
  }

  /// Returns a validator for a maximum, as ``atMost(_:)`` does.
  public static func `in`(_ range: PartialRangeThrough<Value>) -> Validator {
    .atMost(range.upperBound)
  }

  /// Returns a validator for an exclusive upper bound, as ``lessThan(_:)`` does.
  public static func `in`(_ range: PartialRangeUpTo<Value>) -> Validator {
    .lessThan(range.upperBound)
  }
}
