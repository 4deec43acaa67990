extension Validator where Value: Comparable & Sendable & SendableMetatype {
  /// At least a value.
  ///
  /// What is below is `.notYet`, because more digits make a number larger.
  public static func atLeast(_ minimum: Value) -> Validator {
    Validator("atLeast", .minimum("\(minimum)")) { $1.note($0 >= minimum ? .satisfied : .notYet) }
  }

  /// At most a value; what is above is `.broken`.
  public static func atMost(_ maximum: Value) -> Validator {
    Validator("atMost", .maximum("\(maximum)")) { $1.note($0 <= maximum ? .satisfied : .broken) }
  }

  /// Less than a value; what is not is `.broken`.
  public static func lessThan(_ limit: Value) -> Validator {
    Validator("lessThan", .lessThan("\(limit)")) { $1.note($0 < limit ? .satisfied : .broken) }
  }

  /// From one value to another, with one check for each.
  public static func `in`(_ range: ClosedRange<Value>) -> Validator {
    .atLeast(range.lowerBound) && .atMost(range.upperBound)
  }

  /// From one value to below another, with one check for each.
  public static func `in`(_ range: Range<Value>) -> Validator {
    .atLeast(range.lowerBound) && .lessThan(range.upperBound)
  }

  /// From a value on, as ``atLeast(_:)``.
  public static func `in`(_ range: PartialRangeFrom<Value>) -> Validator {
    .atLeast(range.lowerBound)
  }

  /// Up to a value, as ``atMost(_:)``.
  public static func `in`(_ range: PartialRangeThrough<Value>) -> Validator {
    .atMost(range.upperBound)
  }

  /// Below a value, as ``lessThan(_:)``.
  public static func `in`(_ range: PartialRangeUpTo<Value>) -> Validator {
    .lessThan(range.upperBound)
  }
}
