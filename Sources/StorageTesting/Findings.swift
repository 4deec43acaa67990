import Concurrency

/// The violations that a run of one check has found, in words.
struct Findings: Sendable {
  /// The names of the store or backend and the check, with which each finding begins.
  let title: String
  private let sentences = Lock<[String]>([])

  /// Returns the findings of a closure that runs a check, including an error that it throws.
  static func ofCheck(
    _ title: String, _ run: (Findings) async throws -> Void
  ) async -> [String] {
    let findings = Findings(title: title)
    do {
      try await run(findings)
    } catch {
      findings.sentences.withLock { $0.append("\(title): unexpected error: \(error)") }
    }
    return findings.sentences.withLock { $0 }
  }

  private init(title: String) { self.title = title }

  /// Records a finding unless a condition holds; `expectation` completes "expected".
  func expect(_ holds: Bool, _ operation: String, _ expectation: String) {
    if holds { return }
    sentences.withLock { $0.append("\(title): \(operation): expected \(expectation)") }
  }

  /// Expects an element that satisfies a condition, within a timeout; nil for no limit.
  func expectElement<Element: Sendable>(
    of stream: AsyncStream<Element>, within timeout: Duration?, _ operation: String,
    _ expectation: String, where isExpected: @escaping @Sendable (Element) -> Bool
  ) async {
    let isFound = await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        for await element in stream where isExpected(element) { return true }
        return false
      }
      if let timeout {
        group.addTask {
          // The sleep is cancelled when the element arrives.
          try? await Task.sleep(for: timeout)
          return false
        }
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
    expect(isFound, operation, expectation)
  }
}
