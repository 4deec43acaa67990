/// The mutable state of a field, which is guarded by a lock and copied for each evaluation.
struct FieldState<Value: Sendable>: Sendable {
  var validator: Validator<Value>
  /// Whether the validator was replaced after the current report was made.
  var hasNewValidator = false
  /// The value of the current report.
  var value: Value
  var report: ValidationReport
  /// The newest value, whose evaluation may still be in progress.
  var newestValue: Value
  var isTouched = false
  /// The number of changes that affect the report.
  var revision: UInt64 = 0
  /// The newest revision that the current report includes.
  var reportedRevision: UInt64 = 0

  /// Whether the next commit must start or stop the asynchronous checks.
  var mustUpdateAsynchronousChecks = false
  var asynchronousChecks: [AsynchronousCheckState<Value>]
  var crossFieldChecks: [CrossFieldCheck<Value>] = []
  /// The fields with checks that read this one.
  var dependents: [Dependent] = []

  var firstAsynchronousIndex: Int {
    report.checks.count - asynchronousChecks.count - crossFieldChecks.count
  }

  /// The work to perform outside the lock.
  struct SideEffects {
    var cancelled: [Task<Void, any Error>] = []
    var started: [AsynchronousStart<Value>] = []
    var notifiesObservers = false
    /// The values of evicted answers, which are released outside the lock.
    var evicted: [Value] = []
  }

  /// Returns the report on the newest value, in which asynchronous checks that must run are
  /// pending, and whether it differs from the current report.
  func evaluated() -> (report: ValidationReport, hasChanges: Bool) {
    var report = report
    report.isTouched = isTouched
    if hasNewValidator {
      let others = report.checks[firstAsynchronousIndex...]
      report.checks = validator.checks
      report.checks.append(distinct: others)
    }
    let hasChanges = report.update(with: newestValue) { results in
      validator.evaluate(newestValue, &results)
      // Asynchronous checks do not wait for checks that read other fields.
      let isReady =
        isTouched && !asynchronousChecks.isEmpty
        && results.checks.prefix(validator.checks.count)
          .allSatisfy { $0.severity == .recommendation || $0.state == .satisfied }
      results.offset = validator.checks.count
      for check in asynchronousChecks {
        let answer = isReady ? check.cachedAnswer(for: newestValue) : nil
        results.record(answer?.state ?? (isReady ? .pending : .waiting), advice: answer?.advice)
        results.offset += 1
      }
      for check in crossFieldChecks {
        check.evaluate(newestValue, &results)
        results.offset += 1
      }
    }
    let differs =
      hasNewValidator
      ? report != self.report : hasChanges || isTouched != self.report.isTouched
    return (report, differs)
  }

  /// Makes the report of a revision the current one; returns nil if the state has changed since and
  /// must be evaluated again.
  ///
  /// If another thread has committed a report that includes `revision`, nothing changes.
  mutating func commit(
    _ evaluated: ValidationReport, of evaluatedRevision: UInt64, since revision: UInt64
  ) -> SideEffects? {
    if reportedRevision >= revision { return SideEffects() }
    guard evaluatedRevision == self.revision else { return nil }
    reportedRevision = self.revision
    var sideEffects = SideEffects(notifiesObservers: true)
    let current = report.checks[firstAsynchronousIndex...].prefix(asynchronousChecks.count)
    (value, report, hasNewValidator) = (newestValue, evaluated, false)
    for (index, check) in current.enumerated() {
      if !mustUpdateAsynchronousChecks {
        // Outcomes can have arrived after the snapshot was taken.
        setOutcome(of: index, (check.state, check.advice))
      } else if report.checks[firstAsynchronousIndex + index].state == .pending {
        restart(index, debouncing: true, &sideEffects)
      } else {
        stop(index, &sideEffects)
      }
    }
    mustUpdateAsynchronousChecks = false
    return sideEffects
  }

  func canStartImmediately(_ index: Int) -> Bool {
    if case .unavailable = report.checks[firstAsynchronousIndex + index].state { return true }
    return asynchronousChecks[index].isDebouncing
  }

  mutating func restart(_ index: Int, debouncing: Bool, _ sideEffects: inout SideEffects) {
    stop(index, &sideEffects)
    setOutcome(of: index, (.pending, nil))
    asynchronousChecks[index].isDebouncing = debouncing
    sideEffects.started.append(
      AsynchronousStart(index: index, run: asynchronousChecks[index], value: value))
  }

  /// Cancels the current run of an asynchronous check, so that its answer is ignored.
  mutating func stop(_ index: Int, _ sideEffects: inout SideEffects) {
    asynchronousChecks[index].isDebouncing = false
    asynchronousChecks[index].runID += 1
    if let task = asynchronousChecks[index].task.take() { sideEffects.cancelled.append(task) }
    sideEffects.notifiesObservers = true
  }

  mutating func setOutcome(of index: Int, _ outcome: AsynchronousOutcome) {
    report.checks.update(firstAsynchronousIndex + index, outcome.state, advice: outcome.advice)
  }
}
