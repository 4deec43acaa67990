extension FieldState {
  /// What somebody found out about a snapshot.
  struct Finding {
    let report: ValidationReport
    let allowsAsynchronousChecks: Bool
    /// For each asynchronous check, what it answered for the same value before.
    let answers: [AsynchronousAnswer?]
  }

  /// What came of the attempt to make a finding the report.
  enum Placement {
    /// It is the report now.
    case placed(Aftermath)
    /// Somebody else's report is in place, as new as is asked for.
    case overtaken
    /// Something has changed, so that this must be looked at.
    case outdated(Snapshot)
  }

  /// What is left to be done without the lock.
  struct Aftermath {
    var cancelled: [Task<Void, Never>] = []
    var started: [AsynchronousStart<Value>] = []
    let observers: [ChangeObservers.Observer]
    /// Kept until the lock is free.
    let replaced: Value
  }

  /// Makes a finding the report if it is of the newest revision.
  mutating func place(
    _ finding: Finding, of snapshot: Snapshot, since revision: UInt64
  ) -> Placement {
    if reportedRevision >= revision { return .overtaken }
    guard snapshot.revision == self.revision else { return .outdated(self.snapshot) }
    reportedRevision = self.revision
    var aftermath = Aftermath(observers: observers.all, replaced: value)
    value = newestValue
    if asynchronousChecksAreDue {
      asynchronousChecksAreDue = false
      decideOnRuns(finding, &aftermath)
    }
    // The report of the snapshot may lack answers that came since.
    report = finding.report
    for index in runs.indices { noteOutcome(ofRun: index) }
    return .placed(aftermath)
  }

  private mutating func decideOnRuns(_ finding: Finding, _ aftermath: inout Aftermath) {
    for index in runs.indices {
      let cancelled: Task<Void, Never>?
      if !finding.allowsAsynchronousChecks {
        cancelled = runs[index].stop(with: AsynchronousOutcome(state: .waiting))
      } else if let answer = finding.answers[index] {
        cancelled = runs[index].stop(with: answer.outcome)
      } else {
        cancelled = runs[index].restart(debouncing: true)
        aftermath.started.append(start(ofRun: index))
      }
      if let cancelled { aftermath.cancelled.append(cancelled) }
    }
  }

  func start(ofRun index: Int) -> AsynchronousStart<Value> {
    AsynchronousStart(
      index: index, number: runs[index].number, isDebounced: runs[index].isDebouncing,
      value: value)
  }

  /// Writes into the report how an asynchronous check stands.
  mutating func noteOutcome(ofRun index: Int) {
    let (place, outcome) = (firstRun + index, runs[index].outcome)
    if report.checks[place].state != outcome.state { report.checks[place].state = outcome.state }
    if report.checks[place].advice != outcome.advice {
      report.checks[place].advice = outcome.advice
    }
  }

  /// Ends all asynchronous checks, and returns the tasks to be cancelled.
  mutating func stopRuns() -> [Task<Void, Never>] {
    runs.indices.compactMap { runs[$0].stop(with: AsynchronousOutcome(state: .waiting)) }
  }
}

/// An asynchronous check that is about to be made.
struct AsynchronousStart<Value: Sendable>: Sendable {
  let index: Int
  let number: UInt64
  let isDebounced: Bool
  let value: Value
}
