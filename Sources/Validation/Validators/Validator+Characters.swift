public import PasswordRules

extension Validator<String> {
  /// Returns a validator that allows only characters of the given classes; others are `.violated`.
  ///
  /// Messages contain the other characters. For a secret, use ``password(_:unit:matching:)``.
  public static func characters(in classes: CharacterClass...) -> Validator {
    let alphabet = Alphabet(unionOf: classes)
    return Validator("characters", .onlyOf(classes)) { string, results in
      let positions = string.positions { !alphabet.contains($0) }
      if positions.isEmpty { return results.record(.satisfied) }
      var offending: [String] = []
      for scalar in string.unicodeScalars where !alphabet.contains(scalar) {
        let name = String(scalar)
        if !offending.contains(name), offending.count < 10 { offending.append(name) }
      }
      results.record(.violated, advice: .remove(offending), positions: positions)
    }
  }

  /// Returns a validator for a minimum of characters of the given classes; fewer are `.incomplete`.
  public static func contains(
    atLeast minimum: Int = 1, of classes: CharacterClass...
  ) -> Validator {
    let alphabet = Alphabet(unionOf: classes)
    return Validator("contains", .minimumOf(minimum, classes)) { string, results in
      let count = string.unicodeScalars.count(where: alphabet.contains)
      if count >= minimum { return results.record(.satisfied) }
      results.record(.incomplete, advice: .addOf(minimum - count, classes))
    }
  }

  /// Returns a validator that limits the number of equal characters in a row; more are `.violated`.
  ///
  /// Messages quote runs of up to 12 characters. For a secret, use ``password(_:unit:matching:)``.
  public static func maxRepeating(_ limit: Int) -> Validator {
    runs("maxRepeating", .repeating, limit, [.allowed(.unicode), .maxRepeating(limit)])
  }

  /// Returns a validator that limits the number of characters in a row that ascend or descend in
  /// A–Z, a–z or 0–9, with the state and messages of ``maxRepeating(_:)``.
  public static func maxSequential(_ limit: Int) -> Validator {
    runs("maxSequential", .sequential, limit, [.allowed(.unicode), .maxSequential(limit)])
  }

  /// Returns a validator that limits runs; as in password rules, a limit below 1 has no effect.
  private static func runs(
    _ name: String, _ run: ValidationMessage.Run, _ limit: Int, _ rules: PasswordRuleSet
  ) -> Validator {
    Validator(name, .maximumRun(run, limit)) { string, results in
      let positions = rules.check(string).checks.last?.violations ?? []
      guard let first = positions.first else { return results.record(.satisfied) }
      let characters = string.unicodeScalars.dropFirst(first.lowerBound).prefix(first.count)
      let quoted = first.count > 12 ? nil : String(characters)
      results.record(
        .violated, advice: .shortenRun(run, quoted, at: first, limit: limit), positions: positions)
    }
  }
}
