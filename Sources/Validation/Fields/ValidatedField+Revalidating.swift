import Concurrency
import SerializedAccess

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
      let mayHaveChanged = !snapshot.runs.isEmpty || evaluation.report != snapshot.report
      if mayHaveChanged { properties.reportWillChange() }
      let result = state.access { state in
        state.commit(evaluation, of: snapshot, since: start.snapshot.newest.revision)
      }
      if mayHaveChanged { properties.reportDidChange() }
      switch result {
      case .committed(var sideEffects):
        if !mayHaveChanged { sideEffects.observers = [] }
        return perform(sideEffects)
      case .superseded: return
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
        // Checks of other fields do not matter.
        && report.checks.prefix(validator.checks.count)
          .allSatisfy { $0.severity == .recommendation || $0.state == .satisfied },
      answers: snapshot.runs.map { $0.cachedAnswer(for: snapshot.newest.value) })
  }

  func perform(_ sideEffects: FieldState<Value>.SideEffects) {
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
