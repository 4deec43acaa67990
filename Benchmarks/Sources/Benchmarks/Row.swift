/// A comparison: what Locket does, and what it is held against.
struct Row: Sendable {
  var name: String
  var subject: Workload
  var baseline: Workload
  /// What the comparison must come to; nil if it only informs.
  var target: Target?
}

/// What is timed.
struct Workload: Sendable {
  /// What the baseline's column calls it.
  var name: String
  /// How many threads run it at the same time.
  var threads = 1
  /// Nanoseconds of a round, if they are not those that one iteration takes.
  var nanoseconds: (@Sendable () -> Double)?
  /// Does the work so many times; on several threads, so many times on each.
  var run: @Sendable (_ iterations: Int) -> Void
}

extension Workload {
  /// A workload that measures something else itself, once in a round.
  init(name: String, nanoseconds: @escaping @Sendable () -> Double) {
    self.init(name: name, run: { _ in })
    self.nanoseconds = nanoseconds
  }
}

/// What a comparison must come to.
enum Target: Sendable {
  /// The subject takes at most so many times as long as the baseline.
  case ratio(atMost: Double)
  /// The subject takes at most so much longer than the baseline, for each iteration.
  case difference(atMostNanoseconds: Double)
  /// The subject's worst round takes at most so many times as long as the baseline's, and so much
  /// longer.
  case worst(ratioAtMost: Double, plusNanoseconds: Double)
}
