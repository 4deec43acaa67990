import Concurrency
import Testing

/// The violations that a run of one check has found, one sentence each.
struct Findings: Sendable {
  /// The names of the tested implementation and the check.
  let title: String
  private let sentences = Lock<[String]>([])

  private init(title: String) { self.title = title }

  /// Adds a violation, or the reason why the check could not be completed.
  func add(_ sentence: String) {
    sentences.withLock { $0.append("\(title): \(sentence)") }
  }

  /// Runs a check, and returns its findings.
  static func collected(
    by check: some RawRepresentable<String> & Sendable, of name: String,
    _ body: (Findings) async throws -> Void
  ) async -> [String] {
    let findings = Findings(title: "\(name), \(check.rawValue)")
    do {
      try await body(findings)
    } catch is CheckEnd {
      // The violation that ended the check is among the findings.
    } catch {
      findings.add("unexpected error: \(error)")
    }
    return findings.sentences.withLock { $0 }
  }

  /// Records an issue of the test for each sentence.
  static func record(_ sentences: [String], at sourceLocation: SourceLocation) {
    for sentence in sentences {
      Issue.record(Comment(rawValue: sentence), sourceLocation: sourceLocation)
    }
  }
}

/// A run of one check on one implementation.
protocol CheckRun: Sendable {
  var findings: Findings { get }
  /// The maximum time to wait for a notification.
  var timeout: Duration { get }
}

extension CheckRun {
  /// Records a violation if a condition does not hold.
  func expect(_ holds: Bool, _ operation: String, _ expectation: String) {
    if !holds { findings.add("\(operation): expected \(expectation)") }
  }

  /// Waits for a notification; if there is none, records a violation and ends the check.
  ///
  /// Otherwise, a store that never notifies would make a check wait for each of its changes.
  func expectNotification(of observer: CountingObserver, _ operation: String) async throws {
    let isNotified = await observer.isNotified(within: timeout)
    expect(isNotified, operation, "a call to the handler")
    if !isNotified { throw CheckEnd() }
  }
}

/// The end of a check after a violation that its remaining steps would only repeat.
private struct CheckEnd: Error {}
