import FoundationEssentials

@testable import ValueFormats

extension ValueTree {
  /// The tree with Python's dates: microseconds, and the years from 1 to 9999.
  var forPython: ValueTree {
    switch self {
    case .date(let date):
      let seconds = date.timeIntervalSinceReferenceDate
      let rounded = seconds.isNaN ? 0 : (seconds * 64).rounded() / 64
      return .date(
        Date(
          timeIntervalSinceReferenceDate: min(max(rounded, -63_113_904_000), 252_423_993_599)))
    case .array(let elements): return .array(elements.map(\.forPython))
    case .dictionary(let elements): return .dictionary(elements.mapValues(\.forPython))
    default: return self
    }
  }
}
