import Concurrency
import StorageInternals
import Testing
import TestSupport
import Validation

/// Typing at random intervals while a slow service answers.
struct TypingTests {
  private struct Refusal: Error {}

  /// A service with its own delay for each value, which may ignore cancellation.
  private final class Service: Sendable {
    let clock: ManualClock
    private let running = Lock(0)
    private let calls = Lock(0)

    init(clock: ManualClock) {
      self.clock = clock
    }

    var runningCount: Int { running.withLock { $0 } }
    var callCount: Int { calls.withLock { $0 } }

    static func delay(for value: String) -> Duration {
      .milliseconds(value.utf8.reduce(7) { $0 * 131 % 1900 + Int($1) })
    }

    static func answer(to value: String) -> AsynchronousAnswer {
      value.utf8.reduce(0) { $0 &* 31 &+ Int($1) } % 2 == 0
        ? .satisfied : .rejected(.custom(value))
    }

    func ask(_ value: String) async throws -> AsynchronousAnswer {
      running.withLock { $0 += 1 }
      calls.withLock { $0 += 1 }
      defer { running.withLock { $0 -= 1 } }
      let delay = Self.delay(for: value)
      if value.utf8.count % 3 == 0 {
        try await clock.sleep(for: delay)
      } else {
        try await Task { try await clock.sleep(for: delay) }.value
      }
      if value.hasSuffix("x") { throw Refusal() }
      return Self.answer(to: value)
    }
  }

  @Test func finalReportMatchesFinalValue() async throws {
    let clock = ManualClock()
    let service = Service(clock: clock)
    let field = ValidatedField(
      "", .echo && .count(2...8),
      asynchronously: [
        AsynchronousCheck(
          "service", .custom("service"), timeout: .milliseconds(1500)
        ) { try await service.ask($0) }
      ], clock: clock)
    let seen = ReportsSeen(field.reports)
    var generator = SeededGenerator(seed: 6)
    var text = ""
    for _ in 0..<10_000 {
      if text.count > 9 || (!text.isEmpty && Int.random(in: 0..<4, using: &generator) == 0) {
        text.removeLast()
      } else {
        text.append("abx".randomElement(using: &generator) ?? "a")
      }
      field.value = text
      #expect(field.report.echo == text)
      for _ in 0..<Int.random(in: 0..<4, using: &generator) { await Task.yield() }
      clock.advance(by: .milliseconds(Int.random(in: 0..<800, using: &generator)))
      // An occasional pause, in which an answer can arrive.
      if Int.random(in: 0..<30, using: &generator) == 0 {
        try await advance(clock, service) { field.report.state != .pending }
      }
    }
    text = "Ponyo"
    field.value = text
    try await advance(clock, service) { field.report.state != .pending }
    try await suspend {
      clock.advance(by: .seconds(1))
      return service.runningCount == 0 && clock.sleeperCount == 0
    }
    #expect(field.report.echo == text)
    #expect(field.report.checks.last?.state == .violated)
    #expect(field.report.checks.last?.advice == .custom(text))
    #expect(service.callCount > 10)

    try await suspend { seen.all.last == field.report }
    var answered = 0
    for report in seen.all {
      guard let check = report.checks.last, let value = report.echo else { continue }
      switch check.state {
      case .violated: #expect(check.advice == .custom(value))
      case .satisfied: #expect(Service.answer(to: value) == .satisfied)
      case .unavailable(.failed): #expect(value.hasSuffix("x"))
      default: continue
      }
      answered += 1
    }
    #expect(answered > 0)
  }

  /// Advances the clock while every task waits for it.
  private func advance(
    _ clock: ManualClock, _ service: Service, until isTrue: () -> Bool
  ) async throws {
    try await suspend {
      // Either the debounce, or the service and the timeout.
      if clock.sleeperCount > service.runningCount { clock.advance(by: .milliseconds(150)) }
      return isTrue()
    }
  }
}
