/// A comparison of an operation of Locket with a baseline.
struct Row: Sendable {
  var name: String
  var subject: Workload
  var baseline: Workload
  /// The limit of the comparison; nil if it only informs.
  var target: Target?
}

/// A timed operation.
struct Workload: Sendable {
  /// The name in the baseline's column.
  var name: String
  /// The number of threads that run it at the same time.
  var threads = 1
  /// The nanoseconds of a round, if they are not the time per iteration.
  var nanoseconds: (@Sendable () -> Double)?
  /// Does the work `iterations` times on each thread.
  var run: @Sendable (_ iterations: Int) -> Void
}

extension Workload {
  /// Creates a workload that measures something else itself, once per round.
  init(name: String, nanoseconds: @escaping @Sendable () -> Double) {
    self.init(name: name, run: { _ in })
    self.nanoseconds = nanoseconds
  }
}

/// The limit of a comparison.
enum Target: Sendable {
  /// The subject takes at most this many times as long as the baseline.
  case ratio(atMost: Double)
  /// The subject takes at most this much longer than the baseline, per iteration.
  case difference(atMostNanoseconds: Double)
  /// The subject's worst round takes at most this many times as long as the baseline's, plus this
  /// many nanoseconds.
  case worst(ratioAtMost: Double, plusNanoseconds: Double)
}
