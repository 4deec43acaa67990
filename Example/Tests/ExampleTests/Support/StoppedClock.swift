/// A clock on which no time passes: each wait lasts until its task is cancelled.
struct StoppedClock: Clock {
  typealias Instant = ContinuousClock.Instant

  let now = ContinuousClock.now
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try await Task.sleep(for: .seconds(100_000))
  }
}
