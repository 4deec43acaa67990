/// The limits that a range of any kind puts to a count.
struct CountBounds: Sendable {
  /// At least so many; nil if any number is enough.
  let minimum: Int?
  /// At most so many; nil if there is no limit.
  let maximum: Int?

  init(_ range: some RangeExpression<Int>) {
    let (lower, upper): (Int, Int)
    if let closed = range as? ClosedRange<Int> {
      // Its upper bound may be the largest integer, beyond which the way below would have to go.
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

  /// One check for each limit.
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

  /// Says how a count stands before those checks.
  func note(
    _ count: Int, in findings: inout Findings, add: (Int) -> ValidationMessage,
    remove: (Int) -> ValidationMessage, excess: (Int) -> Range<Int>
  ) {
    if let minimum {
      let isEnough = count >= minimum
      findings.note(
        isEnough ? .satisfied : .notYet, advice: isEnough ? nil : add(minimum - count))
    }
    guard let maximum else { return }
    let index = minimum == nil ? 0 : 1
    if count <= maximum { return findings.note(.satisfied, at: index) }
    let limit = max(maximum, 0)
    findings.note(.broken, at: index, advice: remove(count - limit), places: [excess(limit)])
  }
}
