import Concurrency
import Observation

// Evaluating a value after a change, and running its asynchronous checks.
extension ValidatedField {
  /// Changes the state that the report depends on, and returns after a report includes the change.
  ///
  /// The checks run without the lock, so that they can read other fields. If the state changes
  /// meanwhile, the evaluation is repeated. `change` runs with the lock, so it must not release
  /// values of the app, which can have a `deinit`.
  func revalidate(_ change: (inout FieldState<Value>) -> Void) {
    var snapshot = state.withLock { state in
      change(&state)
      state.revision += 1
      return state
    }
    let revision = snapshot.revision
    while true {
      let (report, hasChanges) = snapshot.evaluated()
      let mayHaveChanged = hasChanges || !snapshot.asynchronousChecks.isEmpty
      if mayHaveChanged { properties.registrar.willSet(properties, keyPath: \.report) }
      let committed = state.withLock { $0.commit(report, of: snapshot.revision, since: revision) }
      // Values of the app can have a `deinit`, so the replaced value, which the snapshot contains,
      // is released outside the lock.
      withExtendedLifetime(snapshot) {}
      if mayHaveChanged { properties.registrar.didSet(properties, keyPath: \.report) }
      if var sideEffects = committed {
        if !mayHaveChanged { sideEffects.notifiesObservers = false }
        return perform(sideEffects)
      }
      snapshot = state.withLock { $0 }
    }
  }

  func perform(_ sideEffects: FieldState<Value>.SideEffects) {
    for task in sideEffects.cancelled { task.cancel() }
    for start in sideEffects.started { self.start(start) }
    if sideEffects.notifiesObservers { observers.notify() }
  }

  /// Runs all checks of the value, and returns the report after no check is pending.
  ///
  /// This method touches the field, skips the debounce, and retries unavailable checks. The report
  /// is on the newest value. If the task is cancelled, the method returns the current report.
  public func validate() async -> ValidationReport {
    touch()
    changeReport { state, sideEffects in
      for index in state.asynchronousChecks.indices where state.canStartImmediately(index) {
        state.restart(index, debouncing: false, &sideEffects)
      }
    }
    for await report in reports where !report.isPending { return report }
    return report
  }

  /// Starts a run in a task that does not retain the field.
  func start(_ start: AsynchronousStart<Value>) {
    let check = start.run.check
    let task = Task { [weak self, clock] in
      if start.run.isDebouncing { try await clock.sleep(for: check.debounce) }
      guard self?.update(start, { $0.isDebouncing = false }) == true else { return }
      let timer = Task { [weak self] in
        try await clock.sleep(for: check.timeout)
        self?.finish(start, (.unavailable(.timedOut), nil))
      }
      let outcome = await withTaskCancellationHandler {
        await check.outcome(for: start.value)
      } onCancel: {
        timer.cancel()
      }
      timer.cancel()
      self?.finish(start, outcome)
    }
    if !update(start, { $0.task = task }) { task.cancel() }
  }

  /// Changes the state of a check, or returns false if the run is stale.
  private func update(
    _ start: AsynchronousStart<Value>, _ change: (inout AsynchronousCheckState<Value>) -> Void
  ) -> Bool {
    state.withLock { state in
      let isCurrent = state.asynchronousChecks[start.index].runID == start.run.runID
      if isCurrent { change(&state.asynchronousChecks[start.index]) }
      return isCurrent
    }
  }

  private func finish(_ start: AsynchronousStart<Value>, _ outcome: AsynchronousOutcome) {
    changeReport { state, sideEffects in
      guard state.asynchronousChecks[start.index].runID == start.run.runID else { return }
      state.stop(start.index, &sideEffects)
      state.setOutcome(of: start.index, outcome)
      sideEffects.evicted = state.asynchronousChecks[start.index].cache(outcome, for: start.value)
    }
  }

  /// Changes the report without an evaluation, and performs the side effects.
  private func changeReport(
    _ change: (inout FieldState<Value>, inout FieldState<Value>.SideEffects) -> Void
  ) {
    properties.registrar.willSet(properties, keyPath: \.report)
    let sideEffects = state.withLock { state in
      var sideEffects = FieldState<Value>.SideEffects()
      change(&state, &sideEffects)
      return sideEffects
    }
    properties.registrar.didSet(properties, keyPath: \.report)
    perform(sideEffects)
  }
}
