extension Validator where Value: Collection & SendableMetatype {
  /// A check for at least one element.
  public static var notEmpty: Validator {
    Validator("notEmpty", .notEmpty) { $1.note($0.isEmpty ? .notYet : .satisfied) }
  }

  /// Returns one check for each limit of a range of counts.
  ///
  /// Too few elements are `.notYet`; too many are `.broken`, with the places of the excess.
  public static func count(_ range: some RangeExpression<Int>) -> Validator {
    let bounds = CountBounds(range)
    let checks = bounds.checks(
      minimum: ValidationMessage.minimumCount, maximum: ValidationMessage.maximumCount)
    return Validator(checks: checks) { elements, results in
      let count = elements.count
      bounds.note(
        count, in: &results, add: ValidationMessage.addElements,
        remove: ValidationMessage.removeElements, excess: { $0..<count })
    }
  }
}

extension Validator
where Value: Collection & SendableMetatype, Value.Element: Hashable & SendableMetatype {
  /// A check for duplicate elements, which are `.broken`, with the places of the repetitions.
  public static var unique: Validator {
    Validator("unique", .unique) { elements, results in
      var seen: Set<Value.Element> = []
      var places: [Range<Int>] = []
      for (place, element) in elements.enumerated() where !seen.insert(element).inserted {
        places.append(place..<(place + 1))
      }
      results.note(places.isEmpty ? .satisfied : .broken, places: places)
    }
  }
}

extension Validator where Value: Collection & SendableMetatype {
  /// Returns one check that all requirements of a validator hold for each element, with the places
  /// of the others.
  ///
  /// It is `.broken` if an element is, else `.notYet` if an element is.
  public static func each(_ validator: Validator<Value.Element>) -> Validator {
    Validator("each", .each(validator.demand)) { elements, results in
      var all = Summary()
      for (place, element) in elements.enumerated() {
        let state = validator.summary(of: element).state
        all.add(state, places: state == .satisfied ? [] : [place..<(place + 1)])
      }
      results.note(all.state, places: all.places)
    }
  }
}

/// The limits of a range of counts.
struct CountBounds: Sendable {
  /// The minimum; nil if any number is enough.
  let minimum: Int?
  /// The maximum; nil if there is no limit.
  let maximum: Int?

  init(_ range: some RangeExpression<Int>) {
    let (lower, upper): (Int, Int)
    if let closed = range as? ClosedRange<Int> {
      // Its upper bound may be the largest integer, which would overflow below.
      (lower, upper) = (closed.lowerBound, closed.upperBound)
    } else if let through = range as? PartialRangeThrough<Int> {
      (lower, upper) = (0, through.upperBound)
    } else {
      let whole = range.relative(to: 0..<Int.max)
      (lower, upper) = (whole.lowerBound, whole.upperBound == .max ? .max : whole.upperBound - 1)
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

  /// Records the states of those checks for a count.
  func note(
    _ count: Int, in results: inout CheckResults, add: (Int) -> ValidationMessage,
    remove: (Int) -> ValidationMessage, excess: (Int) -> Range<Int>
  ) {
    if let minimum {
      let isEnough = count >= minimum
      results.note(
        isEnough ? .satisfied : .notYet, advice: isEnough ? nil : add(minimum - count))
    }
    guard let maximum else { return }
    let index = minimum == nil ? 0 : 1
    if count <= maximum { return results.note(.satisfied, at: index) }
    let limit = max(maximum, 0)
    results.note(.broken, at: index, advice: remove(count - limit), places: [excess(limit)])
  }
}
