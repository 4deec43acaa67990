public import PasswordRules

extension Validator<String> {
  /// Returns a check for allowed classes; other characters are `.broken` and named, with places.
  ///
  /// For a secret, use ``password(_:unit:reading:)``, whose messages contain only places.
  public static func characters(in classes: CharacterClass...) -> Validator {
    let alphabet = ListedCharacters(classes)
    return Validator("characters", .onlyOf(classes)) { text, results in
      if text.unicodeScalars.allSatisfy(alphabet.contains) { return results.note(.satisfied) }
      var places: [Range<Int>] = []
      var offending: [String] = []
      for (place, scalar) in text.unicodeScalars.enumerated() where !alphabet.contains(scalar) {
        places.note(place)
        let name = String(scalar)
        if !offending.contains(name), offending.count < 10 { offending.append(name) }
      }
      results.note(.broken, advice: .remove(offending), places: places)
    }
  }

  /// Returns a check for a minimum number of characters of some classes; `.notYet` below it.
  ///
  /// The class `special` means symbols: printable ASCII without letters and digits.
  public static func contains(
    atLeast minimum: Int = 1, of classes: CharacterClass...
  ) -> Validator {
    let alphabet = ListedCharacters(classes)
    return Validator("contains", .minimumOf(minimum, classes)) { text, results in
      let count = text.unicodeScalars.count(where: alphabet.contains)
      if count >= minimum { return results.note(.satisfied) }
      results.note(.notYet, advice: .addOf(minimum - count, classes))
    }
  }

  /// Returns a check that limits equal characters in a row; longer runs are `.broken`.
  ///
  /// Messages quote a run of up to 12 characters. For a secret, use ``password(_:unit:reading:)``,
  /// whose messages contain only places.
  public static func maxRepeating(_ limit: Int) -> Validator {
    runs(.repeating, limit, [.allowed(.unicode), .maxRepeating(limit)])
  }

  /// Returns a check that limits neighbours in A–Z, a–z or 0–9 in a row, ascending or descending;
  /// longer runs are `.broken`.
  ///
  /// Messages quote a run, as those of ``maxRepeating(_:)`` do.
  public static func maxSequential(_ limit: Int) -> Validator {
    runs(.sequential, limit, [.allowed(.unicode), .maxSequential(limit)])
  }

  /// Returns a check of runs; a limit of zero or less has no effect, as in password rules.
  private static func runs(
    _ run: ValidationMessage.Run, _ limit: Int, _ rules: PasswordRuleSet
  ) -> Validator {
    let name = run == .repeating ? "maxRepeating" : "maxSequential"
    return Validator(name, .maximumRun(run, limit)) { text, results in
      let places = rules.check(text).checks.last?.violations ?? []
      guard let first = places.first else { return results.note(.satisfied) }
      let quoted = text.unicodeScalars.dropFirst(first.lowerBound).prefix(first.count)
      results.note(
        .broken,
        advice: .shortenRun(
          run, first.count > Self.quotedLength ? nil : String(quoted), at: first, limit: limit),
        places: places)
    }
  }

  /// The maximum number of characters quoted from a run.
  private static var quotedLength: Int { 12 }
}

/// The characters of several classes.
struct ListedCharacters: Sendable {
  /// The characters; nil for all of Unicode.
  private let characters: PrintableCharacters?

  init(_ classes: [CharacterClass]) {
    characters = classes.reduce(PrintableCharacters()) { union, characterClass in
      guard let union, let characters = characterClass.characters else { return nil }
      return union.union(characters)
    }
  }

  /// Whether the characters are all of Unicode.
  var areAll: Bool { characters == nil }

  func contains(_ scalar: Unicode.Scalar) -> Bool { characters?.contains(scalar) ?? true }
}
