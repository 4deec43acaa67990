/// A detector of the runs in a password that exceed the limits.
struct RunDetector {
  private let limits: RunLimits
  private var last: Unicode.Scalar?
  private var run = Run()
  /// The runs that exceed the limits, each in full, in the order of their positions.
  private(set) var excesses: [(step: Run.Step, range: Range<Int>)] = []

  init(_ limits: RunLimits) {
    self.limits = limits
  }

  mutating func read(_ scalar: Unicode.Scalar, at position: Int) {
    let step = last.map { Run.Step(from: $0, to: scalar) } ?? .other
    (last, run) = (scalar, run.extended(by: step))
    if step == .other || limits.allows(run) { return }
    let range = (position + 1 - run.length)..<(position + 1)
    if excesses.last?.range.lowerBound == range.lowerBound { excesses.removeLast() }
    excesses.append((run.step, range))
  }
}
