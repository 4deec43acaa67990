/// A workload with the number of iterations that fills a round.
struct CalibratedWorkload {
  // Long compared with a scheduler tick, short compared with the machine's disturbances.
  private static let round = Duration.milliseconds(15)

  var name: String { workload.name }
  private let workload: Workload
  private let iterations: Int

  init(_ workload: Workload) {
    self.workload = workload
    if workload.nanoseconds != nil {
      iterations = 1
      return
    }
    var iterations = 1
    var time = Self.shortestTime(workload, iterations)
    while time < Self.round / 4 {
      iterations *= 2
      time = Self.shortestTime(workload, iterations)
    }
    self.iterations = max(1, Int(Double(iterations) * (Self.round / time)))
  }

  /// Runs one round; on several threads, the time of one iteration is the round's time divided by
  /// the iterations of all threads.
  func nanosecondsPerIteration() -> Double {
    if let nanoseconds = workload.nanoseconds { return nanoseconds() }
    let time = Self.time(workload, iterations)
    return time / .nanoseconds(1) / Double(iterations * workload.threads)
  }

  /// The shortest of a few times, so that the machine's other work does not count.
  private static func shortestTime(_ workload: Workload, _ iterations: Int) -> Duration {
    (0..<3).map { _ in time(workload, iterations) }.min() ?? .zero
  }

  private static func time(_ workload: Workload, _ iterations: Int) -> Duration {
    if workload.threads == 1 { return ContinuousClock().measure { workload.run(iterations) } }
    return timeOnThreads(workload.threads) { workload.run(iterations) }
  }
}
