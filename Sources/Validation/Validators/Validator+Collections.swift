// Checks of the elements of a collection.
extension Validator where Value: Collection & SendableMetatype {
  /// A validator that requires elements; an empty collection is `.incomplete`.
  public static var notEmpty: Validator { custom("notEmpty", .notEmpty) { !$0.isEmpty } }

  /// Returns a validator with one check per limit of a range of counts, which must not be empty.
  ///
  /// Too few elements are `.incomplete`. Too many are `.violated`, with their positions.
  public static func count(_ range: some RangeExpression<Int>) -> Validator {
    let bounds = CountBounds(range)
    return Validator(checks: bounds.checks()) { elements, results in
      let count = elements.count
      bounds.record(count, in: &results) { $0..<count }
    }
  }

  /// Returns a validator with one check: each element meets all requirements of another validator.
  ///
  /// The state is the worst of any element, and the positions are those of the failing elements.
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

extension Validator
where Value: Collection & SendableMetatype, Value.Element: Hashable & SendableMetatype {
  /// A validator that forbids duplicates, which are `.violated`, with their positions.
  public static var unique: Validator {
    Validator("unique", .unique) { elements, results in
      var seen: Set<Value.Element> = []
      let duplicates = elements.enumerated().filter { !seen.insert($0.element).inserted }
      let positions = duplicates.map { $0.offset..<($0.offset + 1) }
      results.record(positions.isEmpty ? .satisfied : .violated, positions: positions)
    }
  }
}
