import Concurrency
import Validation

/// The reports that one consumer of a sequence received.
final class ReportsSeen<Report: Equatable & Sendable>: Sendable {
  private struct State {
    var all: [Report] = []
    var hasEnded = false
  }

  private let state: Lock<State>
  private let task: Task<Void, Never>

  init(_ reports: ValidationReports<Report>) {
    let state = Lock(State())
    self.state = state
    task = Task {
      for await report in reports { state.withLock { $0.all.append(report) } }
      state.withLock { $0.hasEnded = true }
    }
  }

  deinit { task.cancel() }

  var all: [Report] { state.withLock { $0.all } }
  var hasEnded: Bool { state.withLock { $0.hasEnded } }
  func cancel() { task.cancel() }
}
