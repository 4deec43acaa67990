/// A comparison of an operation of Locket with a baseline.
struct Row: Sendable {
  let name: String
  /// Makes the operation when the row is measured: many need large files.
  let subject: @Sendable () -> Workload
  let baseline: @Sendable () -> Workload
  /// The limit of the comparison; nil if it only informs.
  let target: Target?

  init(
    name: String, subject: @autoclosure @escaping @Sendable () -> Workload,
    baseline: @autoclosure @escaping @Sendable () -> Workload, target: Target? = nil
  ) {
    self.name = name
    self.subject = subject
    self.baseline = baseline
    self.target = target
  }
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

  /// Returns the workload of a program or library that cannot be measured, with a name that says
  /// why: it has no times.
  static func missing(_ name: String) -> Workload {
    Workload(name: name) { .nan }
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
