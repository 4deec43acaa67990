import Synchronization

/// The waits of 1,000 threads that save three settings each, all at the same time.
final class CrowdedSaves: Sendable {
  /// The numbers of one run, each until it is taken.
  private struct Waits {
    var slowest: Double?
    var median: Double?
  }

  private static let threads = 1000
  private let settings = BenchmarkSettings(keys: 1000)
  private let waits = Mutex(Waits())

  /// The longest wait, in nanoseconds.
  func slowest() -> Double { take(\.slowest) }

  /// The median wait of the same run, in nanoseconds.
  func median() -> Double { take(\.median) }

  private func take(_ number: WritableKeyPath<Waits, Double?>) -> Double {
    waits.withLock { waits in
      if waits[keyPath: number] == nil { waits = run() }
      return waits[keyPath: number].take() ?? 0
    }
  }

  private func run() -> Waits {
    let store = settings.open()
    let all = Mutex([Double]())
    let next = Atomic(0)
    _ = timeOnThreads(Self.threads) { [settings] in
      let index = next.add(1, ordering: .relaxed).oldValue
      let setting = settings.setting(index, in: store)
      let clock = ContinuousClock()
      for round in 0..<3 {
        let value = BenchmarkSettings.value(index + Int.random(in: 1...1_000_000) * 3 + round)
        let wait = clock.measure { attempt { try setting.save(value) } }
        all.withLock { $0.append(wait / .nanoseconds(1)) }
      }
    }
    let sorted = all.withLock { $0.sorted() }
    return Waits(slowest: sorted.last, median: sorted[sorted.count / 2])
  }
}
