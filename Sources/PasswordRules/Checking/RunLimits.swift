/// The maximum lengths of runs.
///
/// The value `Int.max` means no limit.
struct RunLimits: Sendable {
  var repeating = Int.max
  var sequential = Int.max

  /// Whether runs are unlimited.
  var isEmpty: Bool { min(repeating, sequential) == .max }

  subscript(step: Run.Step) -> Int {
    switch step {
    case .other: .max
    case .equal: repeating
    case .ascending, .descending: sequential
    }
  }

  func allows(_ run: Run) -> Bool { run.length <= self[run.step] }

  /// Returns the run after one more character, or nil if it is too long.
  ///
  /// A run without a limit is not tracked; the result is then a run of one character.
  func run(_ run: Run, extendedBy step: Run.Step) -> Run? {
    if self[step] == .max { return Run() }
    let run = run.extended(by: step)
    return allows(run) ? run : nil
  }

  func areSatisfied(by password: [Unicode.Scalar]) -> Bool {
    if isEmpty { return true }
    var runs = RunDetector(self)
    for (position, scalar) in password.enumerated() { runs.read(scalar, at: position) }
    return runs.excesses.isEmpty
  }
}

extension PasswordRuleSet {
  var runLimits: RunLimits {
    RunLimits(
      repeating: min(maxRepeating ?? .max, maxConsecutive ?? .max),
      sequential: min(maxSequential ?? .max, maxConsecutive ?? .max))
  }
}
