extension Validator where Value: Collection & SendableMetatype {
  /// At least one element.
  public static var notEmpty: Validator {
    Validator("notEmpty", .notEmpty) { $1.note($0.isEmpty ? .notYet : .satisfied) }
  }

  /// A number of elements in the range, with one check for each limit that it has.
  ///
  /// Too few are `.notYet`; too many are `.broken`, at the elements beyond.
  public static func count(_ range: some RangeExpression<Int>) -> Validator {
    let bounds = CountBounds(range)
    let checks = bounds.checks(
      minimum: ValidationMessage.minimumCount, maximum: ValidationMessage.maximumCount)
    return Validator(checks: checks) { elements, findings in
      let count = elements.count
      bounds.note(
        count, in: &findings, add: ValidationMessage.addElements,
        remove: ValidationMessage.removeElements, excess: { $0..<count })
    }
  }
}

extension Validator
where Value: Collection & SendableMetatype, Value.Element: Hashable & SendableMetatype {
  /// No element twice; what is there again is `.broken`, at its places.
  public static var unique: Validator {
    Validator("unique", .unique) { elements, findings in
      var seen: Set<Value.Element> = []
      var places: [Range<Int>] = []
      for (place, element) in elements.enumerated() where !seen.insert(element).inserted {
        places.append(place..<(place + 1))
      }
      findings.note(places.isEmpty ? .satisfied : .broken, places: places)
    }
  }
}

extension Validator where Value: Collection & SendableMetatype {
  /// That all requirements of a validator hold of each element: one check, with the places of those of
  /// which they do not.
  ///
  /// It is `.broken` if they are of one element, and else `.notYet` if they are of one.
  public static func each(_ validator: Validator<Value.Element>) -> Validator {
    Validator("each", .each(validator.demand)) { elements, findings in
      var all = Summary()
      for (place, element) in elements.enumerated() {
        let state = validator.summary(of: element).state
        all.add(state, places: state == .satisfied ? [] : [place..<(place + 1)])
      }
      findings.note(all.state, places: all.places)
    }
  }
}
