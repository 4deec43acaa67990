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
