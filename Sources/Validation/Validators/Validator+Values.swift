/// The maximum number of values listed in a message.
private let namedValues = 8

extension Validator where Value: Equatable & Sendable & SendableMetatype {
  /// Returns a check for one of some values, which the message lists if few; others are `.broken`.
  public static func oneOf(_ values: [Value]) -> Validator {
    Validator("oneOf", .oneOf(values.count > namedValues ? [] : values.map { "\($0)" })) {
      $1.note(values.contains($0) ? .satisfied : .broken)
    }
  }

  /// Returns a check that excludes some values, which no message lists.
  ///
  /// An excluded value is `.notYet`, because more typing can change it.
  public static func noneOf(_ values: [Value]) -> Validator {
    Validator("noneOf", .noneOf) { $1.note(values.contains($0) ? .notYet : .satisfied) }
  }

  /// Returns a check for a value, which messages show as given, or not at all if that is nil.
  public static func equalTo(_ value: Value, shownAs text: String? = nil) -> Validator {
    Validator("equalTo", .equal(text)) { $1.note($0 == value ? .satisfied : .broken) }
  }
}

extension Validator<String> {
  /// Returns a check for one of some texts, which the message lists if few; a prefix is `.notYet`.
  public static func oneOf(_ values: [String]) -> Validator {
    Validator("oneOf", .oneOf(values.count > namedValues ? [] : values)) { text, results in
      if values.contains(text) { return results.note(.satisfied) }
      results.note(values.contains { $0.hasPrefix(text) } ? .notYet : .broken)
    }
  }

  /// Returns a check for a text, which messages show as given; a prefix is `.notYet`.
  public static func equalTo(_ value: String, shownAs text: String? = nil) -> Validator {
    Validator("equalTo", .equal(text)) { written, results in
      if written == value { return results.note(.satisfied) }
      results.note(value.hasPrefix(written) ? .notYet : .broken)
    }
  }
}

extension Validator where Value: Numeric & Comparable & SendableMetatype {
  /// A check for a number above zero; zero is `.notYet`, and less is `.broken`.
  public static var positive: Validator {
    Validator("positive", .moreThan("0")) { number, results in
      results.note(number > .zero ? .satisfied : number < .zero ? .broken : .notYet)
    }
  }
}

extension Validator where Value: BinaryInteger & Sendable & SendableMetatype {
  /// Returns a check for a multiple; others are `.notYet`, because more digits can make a multiple.
  ///
  /// Only zero is a multiple of zero.
  public static func multiple(of divisor: Value) -> Validator {
    Validator("multiple", .multiple(of: "\(divisor)")) {
      $1.note($0.isMultiple(of: divisor) ? .satisfied : .notYet)
    }
  }
}

extension Validator where Value: FloatingPoint & SendableMetatype {
  /// A check for a finite number; infinity and NaN are `.broken`.
  public static var finite: Validator {
    Validator("finite", .finite) { $1.note($0.isFinite ? .satisfied : .broken) }
  }
}

extension Validator where Value: Comparable & Sendable & SendableMetatype {
  /// Returns a check for a minimum.
  ///
  /// A lower value is `.notYet`, because more digits make a number larger.
  public static func atLeast(_ minimum: Value) -> Validator {
    Validator("atLeast", .minimum("\(minimum)")) { $1.note($0 >= minimum ? .satisfied : .notYet) }
  }

  /// Returns a check for a maximum; a higher value is `.broken`.
  public static func atMost(_ maximum: Value) -> Validator {
    Validator("atMost", .maximum("\(maximum)")) { $1.note($0 <= maximum ? .satisfied : .broken) }
  }

  /// Returns a check for an exclusive upper limit; other values are `.broken`.
  public static func lessThan(_ limit: Value) -> Validator {
    Validator("lessThan", .lessThan("\(limit)")) { $1.note($0 < limit ? .satisfied : .broken) }
  }

  /// Returns one check for each bound of a closed range.
  public static func `in`(_ range: ClosedRange<Value>) -> Validator {
    .atLeast(range.lowerBound) && .atMost(range.upperBound)
  }

  /// Returns one check for each bound of a half-open range.
  public static func `in`(_ range: Range<Value>) -> Validator {
    .atLeast(range.lowerBound) && .lessThan(range.upperBound)
  }

  /// Returns a check for a minimum, as ``atLeast(_:)``.
  public static func `in`(_ range: PartialRangeFrom<Value>) -> Validator {
    .atLeast(range.lowerBound)
  }

  /// Returns a check for a maximum, as ``atMost(_:)``.
  public static func `in`(_ range: PartialRangeThrough<Value>) -> Validator {
    .atMost(range.upperBound)
  }

  /// Returns a check for an exclusive upper limit, as ``lessThan(_:)``.
  public static func `in`(_ range: PartialRangeUpTo<Value>) -> Validator {
    .lessThan(range.upperBound)
  }
}
