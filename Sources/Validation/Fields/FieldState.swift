import Concurrency

/// The mutable state of a field, which is guarded by a lock and copied for each evaluation.
struct FieldState<Value: Sendable>: Sendable {
  /// A value and the other inputs of its report.
  struct Input: Sendable {
    var value: Value
    var isTouched = false
    /// The number of changes that affect the report.
    var revision: UInt64 = 0
  }

  var validator: Validator<Value>
  /// Whether the validator was replaced after the current report was made.
  var hasNewValidator = false
  /// The value of the current report.
  var value: Value
  var report: ValidationReport
  /// The newest input, whose evaluation may still be in progress.
  var newest: Input
  var reportedRevision: UInt64 = 0

  /// Whether the next commit must start or stop the asynchronous checks.
  var mustUpdateAsynchronousChecks = false
  var asynchronousChecks: [AsynchronousCheckState<Value>]
  var crossFieldChecks: [CrossFieldCheck<Value>] = []
  /// The fields with checks that read this one.
  var dependents: [Dependent] = []
  var observers = Observers<ReportHandler>()

  /// The index of the first asynchronous check in the current report.
  var firstAsynchronousIndex: Int {
    report.checks.count - asynchronousChecks.count - crossFieldChecks.count
  }
}

extension FieldState {
  /// The result of evaluating a copy of the state.
  struct Evaluation {
    let report: ValidationReport
    /// The outcome of each asynchronous check, or nil if the check must run.
    let outcomes: [AsynchronousOutcome?]
  }

  /// The work to perform outside the lock.
  struct SideEffects {
    var cancelled: [Task<Void, Never>] = []
    var started: [AsynchronousStart<Value>] = []
    var observers: [Observer<ReportHandler>] = []
    /// The old value, which is released outside the lock.
    var replaced: Value?
    /// The values of evicted answers, which are released outside the lock.
    var evicted: [Value] = []
  }

  /// Makes an evaluation the current report, unless another thread has committed a report that
  /// includes the change.
  ///
  /// Returns nil if the state has changed and must be evaluated again.
  mutating func commit(
    _ evaluation: Evaluation, of snapshot: FieldState, since revision: UInt64
  ) -> SideEffects? {
    if reportedRevision >= revision { return SideEffects() }
    guard snapshot.newest.revision == newest.revision else { return nil }
    reportedRevision = newest.revision
    var sideEffects = SideEffects(observers: observers.all, replaced: value)
    value = newest.value
    if mustUpdateAsynchronousChecks {
      mustUpdateAsynchronousChecks = false
      for (index, outcome) in evaluation.outcomes.enumerated() {
        if let outcome {
          stop(index, with: outcome, &sideEffects)
        } else {
          restart(index, debouncing: true, &sideEffects)
        }
      }
    }
    var new = evaluation.report
    // Outcomes can have arrived after the snapshot was taken.
    for index in asynchronousChecks.indices {
      let current = report.checks[firstAsynchronousIndex + index]
      new.checks.update(validator.checks.count + index, current.state, advice: current.advice)
    }
    hasNewValidator = false
    report = new
    return sideEffects
  }

  /// Returns whether the closure of an asynchronous check can be called without waiting for the
  /// debounce.
  func canStartImmediately(_ index: Int) -> Bool {
    if case .unavailable = report.checks[firstAsynchronousIndex + index].state { return true }
    return asynchronousChecks[index].isDebouncing
  }

  mutating func restart(_ index: Int, debouncing: Bool, _ sideEffects: inout SideEffects) {
    if let task = asynchronousChecks[index].restart(debouncing: debouncing) {
      sideEffects.cancelled.append(task)
    }
    report.checks.update(firstAsynchronousIndex + index, .pending, advice: nil)
    sideEffects.started.append(
      AsynchronousStart(
        index: index, check: asynchronousChecks[index].check,
        runID: asynchronousChecks[index].runID, isDebounced: debouncing, value: value))
  }

  mutating func stop(
    _ index: Int, with outcome: AsynchronousOutcome, _ sideEffects: inout SideEffects
  ) {
    if let task = asynchronousChecks[index].stop() { sideEffects.cancelled.append(task) }
    report.checks.update(firstAsynchronousIndex + index, outcome.state, advice: outcome.advice)
  }
}
