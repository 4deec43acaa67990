/// The maximum number of values that a message lists.
private let listedValueLimit = 8

extension Validator where Value: Equatable & Sendable & SendableMetatype {
  /// Returns a check that allows only some values; others are `.violated`.
  ///
  /// The message lists up to eight values.
  public static func oneOf(_ values: [Value]) -> Validator {
    Validator("oneOf", .oneOf(values.count > listedValueLimit ? [] : values.map { "\($0)" })) {
      $1.record(values.contains($0) ? .satisfied : .violated)
    }
  }

  /// Returns a check that excludes some values, which messages do not contain.
  ///
  /// An excluded value is `.incomplete`, because appending text can change it.
  public static func noneOf(_ values: [Value]) -> Validator {
    Validator("noneOf", .noneOf) { $1.record(values.contains($0) ? .incomplete : .satisfied) }
  }

  /// Returns a check that a value equals another; different values are `.violated`.
  ///
  /// Messages contain `text` instead of the expected value, if it is not nil.
  public static func equalTo(_ value: Value, shownAs text: String? = nil) -> Validator {
    Validator("equalTo", .equal(text)) { $1.record($0 == value ? .satisfied : .violated) }
  }
}

extension Validator<String> {
  /// Returns a check that allows only some texts; a prefix of one is `.incomplete`.
  ///
  /// The message lists up to eight texts.
  public static func oneOf(_ values: [String]) -> Validator {
    Validator("oneOf", .oneOf(values.count > listedValueLimit ? [] : values)) { text, results in
      if values.contains(text) { return results.record(.satisfied) }
      results.record(values.contains { $0.hasPrefix(text) } ? .incomplete : .violated)
    }
  }

  /// Returns a check that a text equals another; a prefix of the other is `.incomplete`.
  ///
  /// Messages contain `text` instead of the expected text, if it is not nil.
  public static func equalTo(_ value: String, shownAs text: String? = nil) -> Validator {
    Validator("equalTo", .equal(text)) { actual, results in
      if actual == value { return results.record(.satisfied) }
      results.record(value.hasPrefix(actual) ? .incomplete : .violated)
    }
  }
}

extension Validator where Value: Numeric & Comparable & SendableMetatype {
  /// A check for a positive number; zero is `.incomplete`, and a negative number is `.violated`.
  public static var positive: Validator {
    Validator("positive", .moreThan("0")) { number, results in
      results.record(number > .zero ? .satisfied : number < .zero ? .violated : .incomplete)
    }
  }
}

extension Validator where Value: BinaryInteger & Sendable & SendableMetatype {
  /// Returns a check for a multiple of a number; other numbers are `.incomplete`, because appending
  /// digits can result in a multiple.
  ///
  /// Only zero is a multiple of zero.
  public static func multiple(of divisor: Value) -> Validator {
    Validator("multiple", .multiple(of: "\(divisor)")) {
      $1.record($0.isMultiple(of: divisor) ? .satisfied : .incomplete)
    }
  }
}

extension Validator where Value: FloatingPoint & SendableMetatype {
  /// A check for a finite number; infinity and NaN are `.violated`.
  public static var finite: Validator {
    Validator("finite", .finite) { $1.record($0.isFinite ? .satisfied : .violated) }
  }
}

extension Validator where Value: Comparable & Sendable & SendableMetatype {
  /// Returns a check for a minimum.
  ///
  /// A lower value is `.incomplete`, because appending digits results in a greater number.
  public static func atLeast(_ minimum: Value) -> Validator {
    Validator("atLeast", .minimum("\(minimum)")) {
      $1.record($0 >= minimum ? .satisfied : .incomplete)
    }
  }

  /// Returns a check for a maximum; a higher value is `.violated`.
  public static func atMost(_ maximum: Value) -> Validator {
    Validator("atMost", .maximum("\(maximum)")) {
      $1.record($0 <= maximum ? .satisfied : .violated)
    }
  }

  /// Returns a check for an exclusive upper bound; other values are `.violated`.
  public static func lessThan(_ limit: Value) -> Validator {
    Validator("lessThan", .lessThan("\(limit)")) { $1.record($0 < limit ? .satisfied : .violated) }
  }

  /// Returns a check for each bound of a closed range.
  public static func `in`(_ range: ClosedRange<Value>) -> Validator {
    .atLeast(range.lowerBound) && .atMost(range.upperBound)
  }

  /// Returns a check for each bound of a half-open range.
  public static func `in`(_ range: Range<Value>) -> Validator {
    .atLeast(range.lowerBound) && .lessThan(range.upperBound)
  }

  /// Returns a check for a minimum, as ``atLeast(_:)`` does.
  public static func `in`(_ range: PartialRangeFrom<Value>) -> Validator {
    .atLeast(range.lowerBound)
  }

  /// Returns a check for a maximum, as ``atMost(_:)`` does.
  public static func `in`(_ range: PartialRangeThrough<Value>) -> Validator {
    .atMost(range.upperBound)
  }

  /// Returns a check for an exclusive upper bound, as ``lessThan(_:)`` does.
  public static func `in`(_ range: PartialRangeUpTo<Value>) -> Validator {
    .lessThan(range.upperBound)
  }
}
