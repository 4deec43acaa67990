extension CrossFieldCheck where Value: Equatable {
  /// The same value (`==`) as in another field.
  public static func equal(
    to other: ValidatedField<Value>, saying requirement: ValidationMessage = .equalToOther
  ) -> CrossFieldCheck {
    CrossFieldCheck("equal", requirement, with: other) { $0 == $1 }
  }
}

extension CrossFieldCheck where Value: StringProtocol {
  /// The same text (`==`) as in another field; not yet while this one is how the other begins.
  public static func equal(
    to other: ValidatedField<Value>, saying requirement: ValidationMessage = .equalToOther
  ) -> CrossFieldCheck {
    CrossFieldCheck("equal", requirement: requirement, with: other) {
      if $0 == $1 { $2.note(.satisfied) } else { $2.note($1.hasPrefix($0) ? .notYet : .broken) }
    }
  }

  /// A text in which that of another field does not occur, such as a password without the user name.
  ///
  /// Upper and lower case are not told apart: both texts are compared code point by code point in lower
  /// case, as Unicode's `Lowercase_Mapping` has it. Names of fewer than three code points are allowed
  /// anywhere, since most passwords would contain them. The check's places say where the other text is.
  public static func notContaining<Other: StringProtocol>(
    _ other: ValidatedField<Other>, saying requirement: ValidationMessage = .notContainingOther
  ) -> CrossFieldCheck {
    CrossFieldCheck(
      "notContaining", requirement: requirement, with: other
    ) { value, other, findings in
      let places = other.unicodeScalars.count < 3 ? [] : places(of: other, in: value)
      findings.note(places.isEmpty ? .satisfied : .broken, places: places)
    }
  }

  /// Where a text occurs in another, in either case, in code points from its beginning.
  private static func places(
    of part: some StringProtocol, in text: some StringProtocol
  ) -> [Range<Int>] {
    let part = part.unicodeScalars.flatMap(\.properties.lowercaseMapping.unicodeScalars)
    // One code point can become several, so that each has the number of the one that it is of.
    let text = text.unicodeScalars.enumerated().flatMap { number, scalar in
      scalar.properties.lowercaseMapping.unicodeScalars.map { (number: number, scalar: $0) }
    }
    var places: [Range<Int>] = []
    var start = 0
    while start + part.count <= text.count {
      let end = start + part.count
      if text[start..<end].lazy.map(\.scalar).elementsEqual(part) {
        places.append(text[start].number..<text[end - 1].number + 1)
        start = end
      } else {
        start += 1
      }
    }
    return places
  }
}
