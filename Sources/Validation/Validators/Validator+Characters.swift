public import PasswordRules

extension Validator<String> {
  /// Only characters of some classes; any other is `.broken`, at its places, and named.
  ///
  /// For a secret, use ``password(_:unit:reading:)``, whose messages name places alone.
  public static func characters(in classes: CharacterClass...) -> Validator {
    let alphabet = ListedCharacters(classes)
    return Validator("characters", .onlyOf(classes)) { text, findings in
      if text.unicodeScalars.allSatisfy(alphabet.contains) { return findings.note(.satisfied) }
      var places = CharacterPlaces()
      var offending: [String] = []
      for scalar in text.unicodeScalars {
        let isOffending = !alphabet.contains(scalar)
        places.read(isOffending: isOffending)
        let name = String(scalar)
        if isOffending, !offending.contains(name), offending.count < 10 { offending.append(name) }
      }
      findings.note(.broken, advice: .remove(offending), places: places.found)
    }
  }

  /// At least so many characters of some classes, `.notYet` until they are there.
  ///
  /// The class `special` is what people call symbols: printable ASCII without letters and digits.
  public static func contains(
    atLeast minimum: Int = 1, of classes: CharacterClass...
  ) -> Validator {
    let alphabet = ListedCharacters(classes)
    return Validator("contains", .minimumOf(minimum, classes)) { text, findings in
      let count = text.unicodeScalars.count(where: alphabet.contains)
      if count >= minimum { return findings.note(.satisfied) }
      findings.note(.notYet, advice: .addOf(minimum - count, classes))
    }
  }

  /// At most so many of the same character in a row; longer runs are `.broken`, at their places.
  ///
  /// Messages quote a run of up to 12 characters. For a secret, use ``password(_:unit:reading:)``, whose
  /// messages name places alone.
  public static func maxRepeating(_ limit: Int) -> Validator {
    runs(.repeating, limit, [.allowed(.unicode), .maxRepeating(limit)])
  }

  /// At most so many neighbours in A–Z, a–z or 0–9 in a row, upwards or downwards; longer runs are
  /// `.broken`, at their places.
  ///
  /// Messages quote a run as those of ``maxRepeating(_:)`` do.
  public static func maxSequential(_ limit: Int) -> Validator {
    runs(.sequential, limit, [.allowed(.unicode), .maxSequential(limit)])
  }

  /// A limit of zero or less says nothing, as in the language of password rules.
  private static func runs(
    _ run: ValidationMessage.Run, _ limit: Int, _ rules: PasswordRuleSet
  ) -> Validator {
    let name = run == .repeating ? "maxRepeating" : "maxSequential"
    return Validator(name, .maximumRun(run, limit)) { text, findings in
      let places = rules.check(text).checks.last?.violations ?? []
      guard let first = places.first else { return findings.note(.satisfied) }
      let quoted = text.unicodeScalars.dropFirst(first.lowerBound).prefix(first.count)
      findings.note(
        .broken,
        advice: .shortenRun(
          run, first.count > Self.quotedLength ? nil : String(quoted), at: first, limit: limit),
        places: places)
    }
  }

  /// So many characters of a run are shown at most.
  private static var quotedLength: Int { 12 }
}

/// The characters of some classes together.
struct ListedCharacters: Sendable {
  /// The characters; nil where all of Unicode is meant.
  private let characters: PrintableCharacters?

  init(_ classes: [CharacterClass]) {
    characters = classes.reduce(PrintableCharacters()) { union, characterClass in
      guard let union, let characters = characterClass.characters else { return nil }
      return union.union(characters)
    }
  }

  /// Whether all of Unicode is meant.
  var areAll: Bool { characters == nil }

  func contains(_ scalar: Unicode.Scalar) -> Bool { characters?.contains(scalar) ?? true }
}
