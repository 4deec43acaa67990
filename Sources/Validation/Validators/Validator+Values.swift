/// So many values are named in a message at most.
private let namedValues = 8

extension Validator where Value: Equatable & Sendable & SendableMetatype {
  /// One of some values, which the message names if they are few; any other is `.broken`.
  public static func oneOf(_ values: [Value]) -> Validator {
    Validator("oneOf", .oneOf(values.count > namedValues ? [] : values.map { "\($0)" })) {
      $1.note(values.contains($0) ? .satisfied : .broken)
    }
  }

  /// None of some values, which no message names.
  ///
  /// One of them is `.notYet`, because going on can make it another.
  public static func noneOf(_ values: [Value]) -> Validator {
    Validator("noneOf", .noneOf) { $1.note(values.contains($0) ? .notYet : .satisfied) }
  }

  /// A certain value, which messages name as given; they do not if that is nil.
  public static func equalTo(_ value: Value, shownAs text: String? = nil) -> Validator {
    Validator("equalTo", .equal(text)) { $1.note($0 == value ? .satisfied : .broken) }
  }
}

extension Validator<String> {
  /// One of some texts, which the message names if they are few; `.notYet` while one can be gone on to.
  public static func oneOf(_ values: [String]) -> Validator {
    Validator("oneOf", .oneOf(values.count > namedValues ? [] : values)) { text, findings in
      if values.contains(text) { return findings.note(.satisfied) }
      findings.note(values.contains { $0.hasPrefix(text) } ? .notYet : .broken)
    }
  }

  /// A certain text, which messages name as given; `.notYet` while it can be gone on to.
  public static func equalTo(_ value: String, shownAs text: String? = nil) -> Validator {
    Validator("equalTo", .equal(text)) { written, findings in
      if written == value { return findings.note(.satisfied) }
      findings.note(value.hasPrefix(written) ? .notYet : .broken)
    }
  }
}
