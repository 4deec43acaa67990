import SerializedAccess

extension ValidatedField {
  /// Changes what the report depends on, and returns when there is a report that knows of it.
  ///
  /// The checks run without the lock, so that they may look at other fields. A report is put in place
  /// only if nothing changed in between; otherwise all is looked at again.
  func settle(_ change: (inout FieldState<Value>) -> Void) {
    let begun = state.access { state in
      // Released when this returns, without the lock, like everything that is the app's.
      let replaced = state.newestValue
      change(&state)
      state.revision += 1
      return (snapshot: state.snapshot, replaced: replaced)
    }
    var snapshot = begun.snapshot
    while true {
      let finding = look(at: snapshot)
      let mayDiffer = !snapshot.runs.isEmpty || finding.report != snapshot.report
      if mayDiffer { properties.reportWillChange() }
      let placement = state.access { state in
        state.place(finding, of: snapshot, since: begun.snapshot.revision)
      }
      if mayDiffer { properties.reportDidChange() }
      switch placement {
      case .placed(let aftermath):
        for task in aftermath.cancelled { task.cancel() }
        for start in aftermath.started { self.start(start) }
        if mayDiffer { announce(to: aftermath.observers) }
        return
      case .overtaken: return
      case .outdated(let newer): snapshot = newer
      }
    }
  }

  private func look(at snapshot: FieldState<Value>.Snapshot) -> FieldState<Value>.Finding {
    var report = snapshot.report
    report.isTouched = snapshot.isTouched
    validator.update(&report, with: snapshot.value)
    if !snapshot.crossFieldChecks.isEmpty {
      var findings = Findings(report.checks)
      report.checks = []
      findings.offset = validator.checks.count + snapshot.runs.count
      for check in snapshot.crossFieldChecks {
        check.look(snapshot.value, &findings)
        findings.offset += 1
      }
      report.checks = findings.checks
    }
    return FieldState.Finding(
      report: report, allowsAsynchronousChecks: snapshot.isTouched && meetsRequirements(report),
      answers: snapshot.runs.map { $0.keptAnswer(for: snapshot.value) })
  }

  /// Whether the requirements hold that need no waiting and no other field.
  private func meetsRequirements(_ report: ValidationReport) -> Bool {
    report.checks.prefix(validator.checks.count)
      .allSatisfy { $0.severity == .recommendation || $0.state == .satisfied }
  }

  func announce(to observers: [ChangeObservers.Observer]) {
    for observer in observers { observer.changed() }
  }
}

extension ValidatedField: DependentField {
  func dependencyDidChange() {
    settle { _ in }
  }
}
