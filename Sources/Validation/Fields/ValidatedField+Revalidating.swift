import Concurrency
import SerializedAccess

// The evaluation of a value after a change, and its asynchronous checks.
extension ValidatedField {
  /// Changes the state that the report depends on, and returns after a report includes the change.
  ///
  /// The checks run without the lock, so that they can read other fields. If the state changes
  /// during an evaluation, the result is discarded and the evaluation repeated.
  func revalidate(_ change: (inout FieldState<Value>) -> Void) {
    let start = state.access { state in
      // Values of the app can have a `deinit`, so they are released outside the lock.
      let replaced = (state.newest.value, state.validator)
      change(&state)
      state.newest.revision += 1
      return (snapshot: state, replaced: replaced)
    }
    var snapshot = start.snapshot
    while true {
      let evaluation = evaluate(snapshot)
      let mayHaveChanged =
        !snapshot.asynchronousChecks.isEmpty || evaluation.report != snapshot.report
      if mayHaveChanged { properties.reportWillChange() }
      let committed = state.access { state in
        state.commit(evaluation, of: snapshot, since: start.snapshot.newest.revision)
      }
      if mayHaveChanged { properties.reportDidChange() }
      if var sideEffects = committed {
        if !mayHaveChanged { sideEffects.observers = [] }
        return perform(sideEffects)
      }
      snapshot = state.access { $0 }
    }
  }

  private func evaluate(_ snapshot: FieldState<Value>) -> FieldState<Value>.Evaluation {
    let validator = snapshot.validator
    var report = snapshot.report
    report.isTouched = snapshot.newest.isTouched
    if snapshot.hasNewValidator {
      report.checks = validator.checks
      report.checks.append(
        distinct: Array(snapshot.report.checks[snapshot.firstAsynchronousIndex...]))
    }
    validator.update(&report, with: snapshot.newest.value)
    if !snapshot.crossFieldChecks.isEmpty {
      var results = CheckResults(checks: report.checks)
      report.checks = []
      results.offset = validator.checks.count + snapshot.asynchronousChecks.count
      for check in snapshot.crossFieldChecks {
        check.evaluate(snapshot.newest.value, &results)
        results.offset += 1
      }
      report.checks = results.checks
    }
    // Asynchronous checks do not wait for checks that read other fields.
    let isReady =
      snapshot.newest.isTouched
      && report.checks.prefix(validator.checks.count)
        .allSatisfy { $0.severity == .recommendation || $0.state == .satisfied }
    return FieldState.Evaluation(
      report: report,
      outcomes: snapshot.asynchronousChecks.map { check in
        isReady
          ? check.cachedAnswer(for: snapshot.newest.value) : AsynchronousOutcome(state: .waiting)
      })
  }

  func perform(_ sideEffects: FieldState<Value>.SideEffects) {
    for task in sideEffects.cancelled { task.cancel() }
    for start in sideEffects.started { self.start(start) }
    for observer in sideEffects.observers { observer.handler?.changed() }
  }
}

extension ValidatedField {
  /// Runs all checks of the value, and returns the report after no check is pending.
  ///
  /// This method touches the field, skips the debounce, retries unavailable checks, and waits for
  /// the answers. If the value changes in the meantime, the report is on the new value. If the task
  /// is cancelled, the method returns the current report immediately.
  public func validate() async -> ValidationReport {
    touch()
    // Start the checks that are waiting for the debounce or are unavailable.
    changeReport { state, sideEffects in
      for index in state.asynchronousChecks.indices where state.canStartImmediately(index) {
        state.restart(index, debouncing: false, &sideEffects)
      }
      if !sideEffects.started.isEmpty { sideEffects.observers = state.observers.all }
    }
    for await report in reports where !report.isPending { return report }
    return report
  }

  /// Starts a run of an asynchronous check in a task that does not retain the field.
  func start(_ start: AsynchronousStart<Value>) {
    let task = Task { [weak self, clock] in
      if start.isDebounced { await clock.wait(for: start.check.debounce) }
      guard !Task.isCancelled, self?.begin(start) == true else { return }
      let timer = Task { [weak self] in
        await clock.wait(for: start.check.timeout)
        if !Task.isCancelled {
          self?.finish(start, AsynchronousOutcome(state: .unavailable(.timedOut)))
        }
      }
      let outcome = await withTaskCancellationHandler {
        await start.check.outcome(for: start.value)
      } onCancel: {
        timer.cancel()
      }
      timer.cancel()
      self?.finish(start, outcome)
    }
    // The run may have become stale in the meantime.
    if !state.access({ $0.asynchronousChecks[start.index].setTask(task, of: start.runID) }) {
      task.cancel()
    }
  }

  /// Records the end of the debounce, or returns false if the run is stale.
  private func begin(_ start: AsynchronousStart<Value>) -> Bool {
    state.access { $0.asynchronousChecks[start.index].begin(start.runID) }
  }

  /// Stores the outcome of a run unless the run is stale.
  private func finish(_ start: AsynchronousStart<Value>, _ outcome: AsynchronousOutcome) {
    changeReport { state, sideEffects in
      guard state.asynchronousChecks[start.index].runID == start.runID else { return }
      state.stop(start.index, with: outcome, &sideEffects)
      sideEffects.evicted = state.asynchronousChecks[start.index].cache(outcome, for: start.value)
      sideEffects.observers = state.observers.all
    }
  }

  /// Changes the outcomes of asynchronous checks in the report.
  private func changeReport(
    _ change: (inout FieldState<Value>, inout FieldState<Value>.SideEffects) -> Void
  ) {
    properties.reportWillChange()
    let sideEffects = state.access { state in
      var sideEffects = FieldState<Value>.SideEffects()
      change(&state, &sideEffects)
      return sideEffects
    }
    properties.reportDidChange()
    perform(sideEffects)
  }
}

extension Clock<Duration> {
  /// Sleeps for a duration, or until the task is cancelled.
  fileprivate func wait(for duration: Duration) async {
    do {
      try await sleep(for: duration)
    } catch {
      // The caller checks whether the task was cancelled.
    }
  }
}
