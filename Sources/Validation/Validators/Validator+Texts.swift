public import PasswordRules

extension Validator<String> {
  /// A length in the range, with one check for each limit that it has.
  ///
  /// Characters are counted as people see them. Too few are `.notYet`; too many are `.broken`, at the
  /// places beyond.
  public static func count(_ range: some RangeExpression<Int>) -> Validator {
    count(range, unit: .graphemeClusters)
  }

  /// A length in the range, counted in a unit.
  public static func count(_ range: some RangeExpression<Int>, unit: LengthUnit) -> Validator {
    let bounds = CountBounds(range)
    let checks = bounds.checks(
      minimum: { .minimumLength($0, unit) }, maximum: { .maximumLength($0, unit) })
    return Validator(checks: checks) { text, findings in
      bounds.note(
        unit.length(of: text), in: &findings, add: { .addCharacters($0, unit) },
        remove: { .removeCharacters($0, unit) }, excess: { unit.excess(of: text, over: $0) })
    }
  }

  /// That the text begins with another; `.notYet` as long as it can go on to.
  public static func prefix(_ beginning: String) -> Validator {
    Validator("prefix", .prefix(beginning)) { text, findings in
      if text.hasPrefix(beginning) { return findings.note(.satisfied) }
      findings.note(beginning.hasPrefix(text) ? .notYet : .broken)
    }
  }

  /// That the text ends with another.
  public static func suffix(_ end: String) -> Validator {
    Validator("suffix", .suffix(end)) { $1.note($0.hasSuffix(end) ? .satisfied : .notYet) }
  }

  /// No white space at the ends.
  ///
  /// At the beginning it is `.broken`. At the end it is `.notYet`, because the next word may follow.
  public static var trimmed: Validator {
    Validator("trimmed", .trimmed) { text, findings in
      let scalars = text.unicodeScalars
      let leading = scalars.prefix { $0.properties.isWhitespace }.count
      let trailing = scalars.reversed().prefix { $0.properties.isWhitespace }.count
      if leading == 0, trailing == 0 { return findings.note(.satisfied) }
      let count = scalars.count
      // All of a text of white space stands at its beginning.
      let places = leading == count ? [0..<count] : [0..<leading, (count - trailing)..<count]
      findings.note(leading > 0 ? .broken : .notYet, places: places.filter { !$0.isEmpty })
    }
  }

  /// No line break, as Unicode defines it, which pasted texts may have.
  public static var singleLine: Validator {
    Validator("singleLine", .singleLine) { text, findings in
      var places = CharacterPlaces()
      for scalar in text.unicodeScalars { places.read(isOffending: scalar.isLineBreak) }
      findings.note(places.found.isEmpty ? .satisfied : .broken, places: places.found)
    }
  }
}

extension Unicode.Scalar {
  fileprivate var isLineBreak: Bool {
    switch value {
    case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
    default: false
    }
  }
}
