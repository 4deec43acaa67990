/// What came of asking.
enum AsynchronousResult: Sendable {
  case success(AsynchronousAnswer)
  case failure(ValidationCheck.UnavailabilityReason)

  var outcome: AsynchronousOutcome {
    switch self {
    case .success(let answer): answer.outcome
    case .failure(let reason): AsynchronousOutcome(state: .unavailable(reason))
    }
  }
}

extension AsynchronousCheck {
  /// The check before it has been made.
  var waiting: ValidationCheck {
    ValidationCheck(
      id: .init(name), severity: severity, requirement: requirement, state: .waiting)
  }

  func result(for value: Value) async -> AsynchronousResult {
    do {
      return .success(try await answer(value))
    } catch {
      // Only the type: a description may hold what nobody else is to read.
      return .failure(.failed(String(reflecting: type(of: error))))
    }
  }
}

extension Clock<Duration> {
  /// Waits; returns early when the task is cancelled.
  func wait(for duration: Duration) async {
    do {
      try await sleep(for: duration)
    } catch {
      // Whoever waits asks whether the task was cancelled.
    }
  }
}
