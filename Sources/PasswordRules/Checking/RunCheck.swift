/// Finds the runs of equal or neighbouring characters that are longer than a limit.
struct RunCheck {
  private enum Step {
    case other
    case equal
    case up
    case down
  }

  private let repeatingLimit: Int
  private let sequentialLimit: Int
  private(set) var repeating: [Range<Int>] = []
  private(set) var sequential: [Range<Int>] = []
  private var last: Unicode.Scalar?
  private var step = Step.other
  private var start = 0
  private let isNeeded: Bool

  init(_ rules: PasswordRuleSet) {
    repeatingLimit = rules.repeatingLimit ?? .max
    sequentialLimit = rules.sequentialLimit ?? .max
    isNeeded = min(repeatingLimit, sequentialLimit) < .max
  }

  mutating func read(_ scalar: Unicode.Scalar, at position: Int) {
    if !isNeeded { return }
    let next = last.map { Self.step(from: $0, to: scalar) } ?? .other
    last = scalar
    if next != step || next == .other {
      step = next
      // A run of two or more begins with the character before.
      start = next == .other ? position : position - 1
    }
    if next == .other { return }
    let length = position + 1 - start
    if next == .equal {
      if length > repeatingLimit { Self.note(start..<(position + 1), in: &repeating) }
    } else if length > sequentialLimit {
      Self.note(start..<(position + 1), in: &sequential)
    }
  }

  private static func note(_ run: Range<Int>, in runs: inout [Range<Int>]) {
    if runs.last?.lowerBound == run.lowerBound { runs.removeLast() }
    runs.append(run)
  }

  private static func step(from one: Unicode.Scalar, to other: Unicode.Scalar) -> Step {
    switch Int(other.value) - Int(one.value) {
    case 0: .equal
    case 1 where one.nextInSequence != nil: .up
    case -1 where other.nextInSequence != nil: .down
    default: .other
    }
  }
}
