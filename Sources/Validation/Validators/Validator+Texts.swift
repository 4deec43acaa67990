public import PasswordRules

extension Validator<String> {
  /// Returns one check for each limit of a range of lengths.
  ///
  /// User-perceived characters are counted. Too few are `.notYet`; too many are `.broken`, with the
  /// places of the excess.
  public static func count(_ range: some RangeExpression<Int>) -> Validator {
    count(range, unit: .graphemeClusters)
  }

  /// Returns one check for each limit of a range of lengths, counted in a unit.
  public static func count(_ range: some RangeExpression<Int>, unit: LengthUnit) -> Validator {
    let bounds = CountBounds(range)
    let checks = bounds.checks(
      minimum: { .minimumLength($0, unit) }, maximum: { .maximumLength($0, unit) })
    return Validator(checks: checks) { text, results in
      bounds.note(
        unit.length(of: text), in: &results, add: { .addCharacters($0, unit) },
        remove: { .removeCharacters($0, unit) }, excess: { unit.excess(of: text, over: $0) })
    }
  }

  /// Returns a check for a prefix; `.notYet` while more typing can complete it.
  public static func prefix(_ beginning: String) -> Validator {
    Validator("prefix", .prefix(beginning)) { text, results in
      if text.hasPrefix(beginning) { return results.note(.satisfied) }
      results.note(beginning.hasPrefix(text) ? .notYet : .broken)
    }
  }

  /// Returns a check for a suffix.
  public static func suffix(_ end: String) -> Validator {
    Validator("suffix", .suffix(end)) { $1.note($0.hasSuffix(end) ? .satisfied : .notYet) }
  }

  /// A check that there is no white space at the ends.
  ///
  /// At the start it is `.broken`. At the end it is `.notYet`, because another word may follow.
  public static var trimmed: Validator {
    Validator("trimmed", .trimmed) { text, results in
      let scalars = text.unicodeScalars
      let leading = scalars.prefix { $0.properties.isWhitespace }.count
      let trailing = scalars.reversed().prefix { $0.properties.isWhitespace }.count
      if leading == 0, trailing == 0 { return results.note(.satisfied) }
      let count = scalars.count
      // A text of white space only counts as leading white space.
      let places = leading == count ? [0..<count] : [0..<leading, (count - trailing)..<count]
      results.note(leading > 0 ? .broken : .notYet, places: places.filter { !$0.isEmpty })
    }
  }

  /// A check that there is no line break, as defined by Unicode; pasted texts may contain one.
  public static var singleLine: Validator {
    Validator("singleLine", .singleLine) { text, results in
      var places: [Range<Int>] = []
      for (place, scalar) in text.unicodeScalars.enumerated() where scalar.isLineBreak {
        places.note(place)
      }
      results.note(places.isEmpty ? .satisfied : .broken, places: places)
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
