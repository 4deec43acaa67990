import Concurrency

/// The mutable state of a field; a copy of it is evaluated without the lock.
struct FieldState<Value: Sendable>: Sendable {
  /// A value, with the facts that its report depends on.
  struct Input: Sendable {
    var value: Value
    var isTouched = false
    /// The number of changes that affect the report.
    var revision: UInt64 = 0
  }

  /// The newest rules.
  var validator: Validator<Value>
  /// Whether the rules were replaced since the current report.
  var validatorIsNew = false
  /// The value of the current report, and that report.
  var value: Value
  var report: ValidationReport
  /// The newest input, whose evaluation may still be in progress.
  var newest: Input
  /// The revision of the current report.
  var reportedRevision: UInt64 = 0

  /// Whether the next report must start or stop the asynchronous checks.
  var asynchronousChecksAreDue = false
  var runs: [AsynchronousRun<Value>]
  /// The index of the first asynchronous check in the current report.
  var firstRun: Int

  var crossFieldChecks: [CrossFieldCheck<Value>] = []
  /// The fields with checks that read this one.
  var dependents: [WeakDependent] = []
  var observers = Observers<ReportHandler>()
}

/// A field that must be evaluated again when another field changes.
protocol DependentField: AnyObject, Sendable {
  func dependencyDidChange()
}

/// A weak reference to a dependent field.
struct WeakDependent: Sendable {
  weak let field: (any DependentField)?
}

extension FieldState {
  /// The result of evaluating a copy of the state.
  struct Evaluation {
    let report: ValidationReport
    let allowsAsynchronousChecks: Bool
    /// The cached answer of each asynchronous check for the same value.
    let answers: [AsynchronousOutcome?]
  }

  /// The result of trying to make an evaluation the current report.
  enum Placement {
    /// The report is in place.
    case placed(SideEffects)
    /// A report from another thread, recent enough, is in place.
    case overtaken
    /// The state has changed, and must be evaluated again.
    case outdated
  }

  /// The work that is left to do outside the lock.
  struct SideEffects {
    var cancelled: [Task<Void, Never>] = []
    var started: [AsynchronousStart<Value>] = []
    /// The observers to notify.
    var observers: [Observer<ReportHandler>] = []
    /// Values that are retained until the lock is released.
    var replaced: Value?
    var evicted: [Value] = []
  }

  /// Makes an evaluation the current report if its revision is the newest.
  mutating func place(
    _ evaluation: Evaluation, of snapshot: FieldState, since revision: UInt64
  ) -> Placement {
    if reportedRevision >= revision { return .overtaken }
    guard snapshot.newest.revision == newest.revision else { return .outdated }
    reportedRevision = newest.revision
    var sideEffects = SideEffects(observers: observers.all, replaced: value)
    value = newest.value
    if asynchronousChecksAreDue {
      asynchronousChecksAreDue = false
      decideOnRuns(evaluation, &sideEffects)
    }
    var new = evaluation.report
    // The report of the snapshot may lack outcomes that arrived later.
    for index in runs.indices {
      let place = validator.checks.count + index
      let current = report.checks[firstRun + index]
      if new.checks[place].state != current.state { new.checks[place].state = current.state }
      if new.checks[place].advice != current.advice { new.checks[place].advice = current.advice }
    }
    (firstRun, validatorIsNew) = (validator.checks.count, false)
    report = new
    return .placed(sideEffects)
  }

  private mutating func decideOnRuns(_ evaluation: Evaluation, _ sideEffects: inout SideEffects) {
    for index in runs.indices {
      if !evaluation.allowsAsynchronousChecks {
        stop(run: index, with: AsynchronousOutcome(state: .waiting), &sideEffects)
      } else if let answer = evaluation.answers[index] {
        stop(run: index, with: answer, &sideEffects)
      } else {
        restart(run: index, debouncing: true, &sideEffects)
      }
    }
  }

  /// Whether `validate()` should call the closure of an asynchronous check immediately.
  func canBeHurried(run index: Int) -> Bool {
    if case .unavailable = report.checks[firstRun + index].state { return true }
    return runs[index].phase == .debouncing
  }

  /// Restarts an asynchronous check.
  mutating func restart(run index: Int, debouncing: Bool, _ sideEffects: inout SideEffects) {
    if let task = runs[index].restart(debouncing: debouncing) { sideEffects.cancelled.append(task) }
    set(AsynchronousOutcome(state: .pending), ofRun: index)
    sideEffects.started.append(
      AsynchronousStart(
        index: index, number: runs[index].number, isDebounced: debouncing, value: value))
  }

  /// Ends an asynchronous check with an outcome.
  mutating func stop(
    run index: Int, with outcome: AsynchronousOutcome, _ sideEffects: inout SideEffects
  ) {
    if let task = runs[index].stop() { sideEffects.cancelled.append(task) }
    set(outcome, ofRun: index)
  }

  private mutating func set(_ outcome: AsynchronousOutcome, ofRun index: Int) {
    let place = firstRun + index
    // An assignment copies the checks if a snapshot shares them.
    if report.checks[place].state != outcome.state { report.checks[place].state = outcome.state }
    if report.checks[place].advice != outcome.advice {
      report.checks[place].advice = outcome.advice
    }
  }
}

/// An asynchronous check that is about to start.
struct AsynchronousStart<Value: Sendable>: Sendable {
  let index: Int
  let number: UInt64
  let isDebounced: Bool
  let value: Value
}
