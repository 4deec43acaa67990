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

/// The limits of a range of counts.
struct CountBounds: Sendable {
  /// The minimum, or nil if it is zero or less.
  let minimum: Int?
  /// The maximum, or nil if there is no maximum.
  let maximum: Int?

  /// Creates the limits of a range, which must not be empty.
  init(_ range: some RangeExpression<Int>) {
    let (lower, upper): (Int, Int)
    if let closed = range as? ClosedRange<Int> {
      // The upper bound can be `Int.max`, and a conversion to a half-open range would overflow.
      (lower, upper) = (closed.lowerBound, closed.upperBound)
    } else if let through = range as? PartialRangeThrough<Int> {
      (lower, upper) = (0, through.upperBound)
    } else {
      let counts = range.relative(to: 0..<Int.max)
      precondition(!counts.isEmpty, "A range of counts must not be empty.")
      (lower, upper) = (counts.lowerBound, counts.upperBound == .max ? .max : counts.upperBound - 1)
    }
    minimum = lower > 0 ? lower : nil
    maximum = upper < .max ? upper : nil
  }

  /// Returns one check for each limit.
  func checks(
    minimum atLeast: (Int) -> ValidationMessage, maximum atMost: (Int) -> ValidationMessage
  ) -> [ValidationCheck] {
    var checks: [ValidationCheck] = []
    if let minimum {
      checks.append(ValidationCheck(id: .init("minimumCount"), requirement: atLeast(minimum)))
    }
    if let maximum {
      checks.append(ValidationCheck(id: .init("maximumCount"), requirement: atMost(maximum)))
    }
    return checks
  }

  /// Records the states of the checks for a count.
  func record(
    _ count: Int, in results: inout CheckResults, add: (Int) -> ValidationMessage,
    remove: (Int) -> ValidationMessage, excess: (Int) -> Range<Int>
  ) {
    if let minimum {
      let isEnough = count >= minimum
      results.record(
        isEnough ? .satisfied : .incomplete, advice: isEnough ? nil : add(minimum - count))
    }
    guard let maximum else { return }
    let index = minimum == nil ? 0 : 1
    if count <= maximum { return results.record(.satisfied, at: index) }
    let limit = max(maximum, 0)
    results.record(.violated, at: index, advice: remove(count - limit), positions: [excess(limit)])
  }
}
