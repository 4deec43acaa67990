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
  /// The index of the first asynchronous check in the current report.
  var firstAsynchronousIndex: Int

  var crossFieldChecks: [CrossFieldCheck<Value>] = []
  /// The fields with checks that read this one.
  var dependents: [WeakDependent] = []
  var observers = Observers<ReportHandler>()
}

extension FieldState {
  /// The result of evaluating a copy of the state.
  struct Evaluation {
    let report: ValidationReport
    let allowsAsynchronousChecks: Bool
    /// The cached answer of each asynchronous check for the same value.
    let answers: [AsynchronousOutcome?]
  }

  /// The result of committing an evaluation.
  enum CommitResult {
    /// The evaluation is the current report.
    case committed(SideEffects)
    /// Another thread committed a report that includes the change.
    case superseded
    /// The state has changed and must be evaluated again.
    case outdated
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

  /// Makes an evaluation the current report if its revision is the newest.
  mutating func commit(
    _ evaluation: Evaluation, of snapshot: FieldState, since revision: UInt64
  ) -> CommitResult {
    if reportedRevision >= revision { return .superseded }
    guard snapshot.newest.revision == newest.revision else { return .outdated }
    reportedRevision = newest.revision
    var sideEffects = SideEffects(observers: observers.all, replaced: value)
    value = newest.value
    if mustUpdateAsynchronousChecks {
      mustUpdateAsynchronousChecks = false
      updateAsynchronousChecks(evaluation, &sideEffects)
    }
    var new = evaluation.report
    // Outcomes can have arrived after the snapshot was taken.
    for index in asynchronousChecks.indices {
      let current = report.checks[firstAsynchronousIndex + index]
      new.checks.update(validator.checks.count + index, current.state, advice: current.advice)
    }
    (firstAsynchronousIndex, hasNewValidator) = (validator.checks.count, false)
    report = new
    return .committed(sideEffects)
  }

  /// Starts or stops the asynchronous checks for a new value.
  private mutating func updateAsynchronousChecks(
    _ evaluation: Evaluation, _ sideEffects: inout SideEffects
  ) {
    for index in asynchronousChecks.indices {
      if !evaluation.allowsAsynchronousChecks {
        stop(index, with: AsynchronousOutcome(state: .waiting), &sideEffects)
      } else if let answer = evaluation.answers[index] {
        stop(index, with: answer, &sideEffects)
      } else {
        restart(index, debouncing: true, &sideEffects)
      }
    }
  }

  /// Returns whether the closure of an asynchronous check can be called without waiting for the
  /// debounce.
  func canStartImmediately(_ index: Int) -> Bool {
    if case .unavailable = report.checks[firstAsynchronousIndex + index].state { return true }
    return asynchronousChecks[index].phase == .debouncing
  }

  /// Restarts an asynchronous check.
  mutating func restart(_ index: Int, debouncing: Bool, _ sideEffects: inout SideEffects) {
    if let task = asynchronousChecks[index].restart(debouncing: debouncing) {
      sideEffects.cancelled.append(task)
    }
    report.checks.update(firstAsynchronousIndex + index, .pending, advice: nil)
    sideEffects.started.append(
      AsynchronousStart(
        index: index, runID: asynchronousChecks[index].runID, isDebounced: debouncing, value: value)
    )
  }

  mutating func stop(
    _ index: Int, with outcome: AsynchronousOutcome, _ sideEffects: inout SideEffects
  ) {
    if let task = asynchronousChecks[index].stop() { sideEffects.cancelled.append(task) }
    report.checks.update(firstAsynchronousIndex + index, outcome.state, advice: outcome.advice)
  }
}
