extension Validator where Value: Numeric & Comparable & SendableMetatype {
  /// More than zero; zero is `.notYet`, and less is `.broken`.
  public static var positive: Validator {
    Validator("positive", .moreThan("0")) { number, findings in
      findings.note(number > .zero ? .satisfied : number < .zero ? .broken : .notYet)
    }
  }
}

extension Validator where Value: BinaryInteger & Sendable & SendableMetatype {
  /// A multiple of a number; what is not is `.notYet`, because more digits can make it one.
  ///
  /// Only zero is a multiple of zero.
  public static func multiple(of divisor: Value) -> Validator {
    Validator("multiple", .multiple(of: "\(divisor)")) {
      $1.note($0.isMultiple(of: divisor) ? .satisfied : .notYet)
    }
  }
}

extension Validator where Value: FloatingPoint & SendableMetatype {
  /// Neither infinite nor NaN; what is not is `.broken`.
  public static var finite: Validator {
    Validator("finite", .finite) { $1.note($0.isFinite ? .satisfied : .broken) }
  }
}
