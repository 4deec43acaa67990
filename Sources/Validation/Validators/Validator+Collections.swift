extension Validator where Value: Collection & SendableMetatype {
  /// A check that the collection is not empty; an empty one is `.incomplete`.
  public static var notEmpty: Validator {
    Validator("notEmpty", .notEmpty) { $1.record($0.isEmpty ? .incomplete : .satisfied) }
  }

  /// Returns a check for each limit of a range of counts.
  ///
  /// Too few elements are `.incomplete`. Too many are `.violated`, with the positions of the
  /// excess.
  ///
  /// - Precondition: The range is not empty.
  public static func count(_ range: some RangeExpression<Int>) -> Validator {
    let bounds = CountBounds(range)
    let checks = bounds.checks(
      minimum: ValidationMessage.minimumCount, maximum: ValidationMessage.maximumCount)
    return Validator(checks: checks) { elements, results in
      let count = elements.count
      bounds.record(
        count, in: &results, add: ValidationMessage.addElements,
        remove: ValidationMessage.removeElements, excess: { $0..<count })
    }
  }
}

extension Validator
where Value: Collection & SendableMetatype, Value.Element: Hashable & SendableMetatype {
  /// A check that there are no duplicate elements; duplicates are `.violated`, with their
  /// positions.
  public static var unique: Validator {
    Validator("unique", .unique) { elements, results in
      var seen: Set<Value.Element> = []
      var positions: [Range<Int>] = []
      for (position, element) in elements.enumerated() where !seen.insert(element).inserted {
        positions.append(position..<(position + 1))
      }
      results.record(positions.isEmpty ? .satisfied : .violated, positions: positions)
    }
  }
}

extension Validator where Value: Collection & SendableMetatype {
  /// Returns one check that all requirements of a validator hold for each element.
  ///
  /// The state is that of the worst element, and the positions are those of the elements that do
  /// not meet the requirements.
  public static func each(_ validator: Validator<Value.Element>) -> Validator {
    Validator("each", .each(validator.combinedRequirement)) { elements, results in
      var all = Summary()
      for (position, element) in elements.enumerated() {
        let state = validator.summary(of: element).state
        all.add(state, positions: state == .satisfied ? [] : [position..<(position + 1)])
      }
      results.record(all.state, positions: all.positions)
    }
  }
}
