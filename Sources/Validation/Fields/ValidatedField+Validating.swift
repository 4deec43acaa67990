import Concurrency
import SerializedAccess

extension ValidatedField {
  /// Runs all checks of the value, and returns the report after no check is pending.
  ///
  /// This method touches the field, skips the debounce, retries unavailable checks, and waits for
  /// the answers. If the value changes meanwhile, the report is that of the new value. If the task
  /// is cancelled, the method returns the current report immediately.
  public func validate() async -> ValidationReport {
    touch()
    startChecksImmediately()
    for await report in reports where !report.isPending { return report }
    return report
  }

  /// Immediately starts the checks that wait for the debounce or were unavailable.
  private func startChecksImmediately() {
    changeReport { state, sideEffects in
      for index in state.runs.indices where state.canStartImmediately(run: index) {
        state.restart(run: index, debouncing: false, &sideEffects)
      }
      if !sideEffects.started.isEmpty { sideEffects.observers = state.observers.all }
    }
  }

  /// Starts a run of an asynchronous check in a task that does not retain the field.
  func start(_ start: AsynchronousStart<Value>) {
    let (index, number) = (start.index, start.number)
    let task = Task { [weak self, clock, check = asynchronousChecks[index]] in
      if start.isDebounced { await clock.wait(for: check.debounce) }
      guard !Task.isCancelled, self?.begin(start) == true else { return }
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
    // The run may have become stale meanwhile.
    if !state.access({ $0.runs[index].setTask(task, of: number) }) { task.cancel() }
  }

  /// Records the end of the debounce, or returns false if the run is stale.
  private func begin(_ start: AsynchronousStart<Value>) -> Bool {
    state.access { $0.runs[start.index].begin(start.number) }
  }

  /// Stores the outcome of a run unless the run is stale.
  private func finish(_ start: AsynchronousStart<Value>, _ outcome: AsynchronousOutcome) {
    changeReport { state, sideEffects in
      guard state.runs[start.index].isCurrent(start.number) else { return }
      state.stop(run: start.index, with: outcome, &sideEffects)
      sideEffects.evicted = state.runs[start.index].cache(outcome, for: start.value)
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
