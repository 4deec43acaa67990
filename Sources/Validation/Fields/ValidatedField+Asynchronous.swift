import SerializedAccess

extension ValidatedField {
  /// Makes all checks of the value and returns the report on it, which has nothing pending.
  ///
  /// This touches the field, does not wait for the debounce, makes the checks again that were
  /// unavailable, and waits for the answers. If the value changes meanwhile, it is the new one that is
  /// reported on. If the task is cancelled, what is known by then is returned at once.
  public func validate() async -> ValidationReport {
    touch()
    hurry()
    for await report in reports where !report.isPending { return report }
    return report
  }

  /// Calls the closures that wait for the debounce, or that did not answer, at once.
  private func hurry() {
    properties.reportWillChange()
    let (starts, cancelled, observers) = state.access { state in
      var starts: [AsynchronousStart<Value>] = []
      var cancelled: [Task<Void, Never>] = []
      for index in state.runs.indices where state.runs[index].canBeHurried {
        if let task = state.runs[index].restart(debouncing: false) { cancelled.append(task) }
        state.noteOutcome(ofRun: index)
        starts.append(state.start(ofRun: index))
      }
      return (starts, cancelled, state.observers.all)
    }
    properties.reportDidChange()
    for task in cancelled { task.cancel() }
    for start in starts { self.start(start) }
    if !starts.isEmpty { announce(to: observers) }
  }

  /// Begins an asynchronous check; the task does not keep the field.
  func start(_ start: AsynchronousStart<Value>) {
    let (index, number) = (start.index, start.number)
    let task = Task { [weak self, clock, check = asynchronousChecks[index]] in
      if start.isDebounced { await clock.wait(for: check.debounce) }
      guard !Task.isCancelled, let begun = self?.begin(start), begun else { return }
      let timer = Task { [weak self] in
        await clock.wait(for: check.timeout)
        if !Task.isCancelled { self?.finish(start, .failure(.timedOut)) }
      }
      let result = await withTaskCancellationHandler {
        await check.result(for: start.value)
      } onCancel: {
        timer.cancel()
      }
      timer.cancel()
      self?.finish(start, result)
    }
    // Another keystroke may have come since.
    if !state.access({ $0.runs[index].keep(task, of: number) }) { task.cancel() }
  }

  private func begin(_ start: AsynchronousStart<Value>) -> Bool {
    state.access { $0.runs[start.index].begin(start.number) }
  }

  /// Takes what came of a check, if it is not late.
  private func finish(_ start: AsynchronousStart<Value>, _ result: AsynchronousResult) {
    properties.reportWillChange()
    let (cancelled, released, observers) = state.access { state in
      let index = start.index
      guard let cancelled = state.runs[index].finish(start.number, with: result.outcome) else {
        return ([Task<Void, Never>](), [Value](), [ChangeObservers.Observer]())
      }
      state.noteOutcome(ofRun: index)
      var released: [Value] = []
      if case .success(let answer) = result {
        released = state.runs[index].keepAnswer(answer, for: start.value)
      }
      return (cancelled, released, state.observers.all)
    }
    properties.reportDidChange()
    for task in cancelled { task.cancel() }
    announce(to: observers)
    withExtendedLifetime(released) {}
  }
}
