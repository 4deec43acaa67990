import Concurrency
import SerializedAccess

extension ValidatedField {
  /// Changes the state that the report depends on, and returns when a report includes the change.
  ///
  /// The checks run without the lock, so that they may read other fields. A report is stored only
  /// if nothing changed meanwhile; otherwise the evaluation is retried.
  func revalidate(_ change: (inout FieldState<Value>) -> Void) {
    let begun = state.access { state in
      // Released on return, without the lock, like every object of the app.
      let replaced = (state.newest.value, state.validator)
      change(&state)
      state.newest.revision += 1
      return (snapshot: state, replaced: replaced)
    }
    var snapshot = begun.snapshot
    while true {
      let evaluation = evaluate(snapshot)
      let mayDiffer = !snapshot.runs.isEmpty || evaluation.report != snapshot.report
      if mayDiffer { properties.reportWillChange() }
      let placement = state.access { state in
        state.place(evaluation, of: snapshot, since: begun.snapshot.newest.revision)
      }
      if mayDiffer { properties.reportDidChange() }
      switch placement {
      case .placed(var sideEffects):
        if !mayDiffer { sideEffects.observers = [] }
        return perform(sideEffects)
      case .overtaken: return
      case .outdated: snapshot = state.access { $0 }
      }
    }
  }

  private func evaluate(_ snapshot: FieldState<Value>) -> FieldState<Value>.Evaluation {
    let validator = snapshot.validator
    var report = snapshot.report
    report.isTouched = snapshot.newest.isTouched
    if snapshot.validatorIsNew {
      report.checks = validator.checks
      report.checks.append(distinct: Array(snapshot.report.checks[snapshot.firstRun...]))
    }
    validator.update(&report, with: snapshot.newest.value)
    if !snapshot.crossFieldChecks.isEmpty {
      var results = CheckResults(report.checks)
      report.checks = []
      results.offset = validator.checks.count + snapshot.runs.count
      for check in snapshot.crossFieldChecks {
        check.evaluate(snapshot.newest.value, &results)
        results.offset += 1
      }
      report.checks = results.checks
    }
    return FieldState.Evaluation(
      report: report,
      allowsAsynchronousChecks: snapshot.newest.isTouched
        // Of the synchronous requirements of this field alone.
        && report.checks.prefix(validator.checks.count)
          .allSatisfy { $0.severity == .recommendation || $0.state == .satisfied },
      answers: snapshot.runs.map { $0.keptAnswer(for: snapshot.newest.value) })
  }

  private func perform(_ sideEffects: FieldState<Value>.SideEffects) {
    for task in sideEffects.cancelled { task.cancel() }
    for start in sideEffects.started { self.start(start) }
    for observer in sideEffects.observers { observer.handler?.changed() }
  }
}

extension ValidatedField: DependentField {
  func dependencyDidChange() {
    revalidate { _ in }
  }
}

extension ValidatedField {
  /// Runs all checks of the value and returns the report, which has nothing pending.
  ///
  /// This touches the field, skips the debounce, retries unavailable checks, and waits for the
  /// answers. If the value changes meanwhile, the report is on the new value. If the task is
  /// cancelled, the current report is returned at once.
  public func validate() async -> ValidationReport {
    touch()
    hurry()
    for await report in reports where !report.isPending { return report }
    return report
  }

  /// Immediately calls the closures that wait for the debounce or were unavailable.
  private func hurry() {
    changeReport { state, sideEffects in
      for index in state.runs.indices where state.canBeHurried(run: index) {
        state.restart(run: index, debouncing: false, &sideEffects)
      }
      if !sideEffects.started.isEmpty { sideEffects.observers = state.observers.all }
    }
  }

  /// Starts an asynchronous check; its task does not retain the field.
  func start(_ start: AsynchronousStart<Value>) {
    let (index, number) = (start.index, start.number)
    let task = Task { [weak self, clock, check = asynchronousChecks[index]] in
      if start.isDebounced { await clock.wait(for: check.debounce) }
      guard !Task.isCancelled, let begun = self?.begin(start), begun else { return }
      let timer = Task { [weak self] in
        await clock.wait(for: check.timeout)
        if !Task.isCancelled {
          self?.finish(start, AsynchronousOutcome(state: .unavailable(.timedOut)))
        }
      }
      let outcome = await withTaskCancellationHandler {
        await check.outcome(for: start.value)
      } onCancel: {
        timer.cancel()
      }
      timer.cancel()
      self?.finish(start, outcome)
    }
    // The value may have changed meanwhile.
    if !state.access({ $0.runs[index].keep(task, of: number) }) { task.cancel() }
  }

  private func begin(_ start: AsynchronousStart<Value>) -> Bool {
    state.access { $0.runs[start.index].begin(start.number) }
  }

  /// Stores the outcome of a check, unless it is stale.
  private func finish(_ start: AsynchronousStart<Value>, _ outcome: AsynchronousOutcome) {
    changeReport { state, sideEffects in
      guard state.runs[start.index].isCurrent(start.number) else { return }
      state.stop(run: start.index, with: outcome, &sideEffects)
      sideEffects.evicted = state.runs[start.index].keepAnswer(outcome, for: start.value)
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
