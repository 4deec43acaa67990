import CLibrary
import PasswordRules

struct CountBounds: Sendable {
  /// The unit of the characters that are counted, or nil for elements.
  private let unit: LengthUnit?
  /// The minimum, or nil if it is zero or less.
  private let minimum: Int?
  private let maximum: Int?

  init(_ range: some RangeExpression<Int>, unit: LengthUnit? = nil) {
    self.unit = unit
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

  func checks(
    _ minimumName: String = "minimumCount", _ maximumName: String = "maximumCount"
  ) -> [ValidationCheck] {
    let atLeast = minimum.map { count in
      ValidationCheck(minimumName, unit.map { .minimumLength(count, $0) } ?? .minimumCount(count))
    }
    let atMost = maximum.map { count in
      ValidationCheck(maximumName, unit.map { .maximumLength(count, $0) } ?? .maximumCount(count))
    }
    return [atLeast, atMost].compactMap(\.self)
  }

  /// Records the states of the checks for a count; `excess` returns the positions beyond a limit.
  func record(_ count: Int, in results: inout CheckResults, excess: (Int) -> Range<Int>) {
    if let minimum {
      let missing = minimum - count
      let add = unit.map { ValidationMessage.addCharacters(missing, $0) } ?? .addElements(missing)
      results.record(missing > 0 ? .incomplete : .satisfied, advice: missing > 0 ? add : nil)
    }
    guard let maximum else { return }
    let index = minimum == nil ? 0 : 1
    if count <= maximum + (locketBreak(53) ? 1 : 0) { return results.record(.satisfied, at: index) }
    let limit = max(maximum, 0)
    let over = count - limit
    let remove = unit.map { .removeCharacters(over, $0) } ?? ValidationMessage.removeElements(over)
    results.record(.violated, at: index, advice: remove, positions: [excess(limit)])
  }
}
