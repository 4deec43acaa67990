import SecretStorage
import StorageTesting
import TestSupport
import Testing

@Suite(.expectsFailures)
struct ReadOnlyStoreConformanceTests {
  private func conformance(of violation: ReadOnlyViolation?) -> ReadOnlyStoreConformance {
    ReadOnlyStoreConformance(
      "Store with violation \(violation.map(\.rawValue) ?? "none")",
      // The full timeout elapses only if a notification is missing, or a revision is not settled.
      timeout: violation == nil ? .seconds(20) : .milliseconds(100),
      makeStore: { try LyingReadOnlyStore(violation, $0) },
      supply: { store, items in try (store as? LyingReadOnlyStore)?.supply(items) })
  }

  @Test(arguments: ReadOnlyStoreConformance.Check.allCases)
  func storeWithoutViolationConforms(_ check: ReadOnlyStoreConformance.Check) async {
    await conformance(of: nil).run(check)
  }

  @Test(arguments: ReadOnlyViolation.allCases)
  func violationIsDetected(_ violation: ReadOnlyViolation) async {
    let findings = await conformance(of: violation).findings(of: violation.check)
    #expect(!findings.isEmpty)
    let title = "Store with violation \(violation.rawValue), \(violation.check.rawValue): "
    #expect(findings.allSatisfy { $0.hasPrefix(title) && !$0.contains("unexpected error") })
  }

  @Test func everyCheckDetectsAViolation() {
    #expect(
      Set(ReadOnlyViolation.allCases.map(\.check)) == Set(ReadOnlyStoreConformance.Check.allCases))
  }

  @Test func changesAreNotCheckedIfTheyCannotBeMade() async {
    let conformance = ReadOnlyStoreConformance("Fixed") { try LyingReadOnlyStore(.readsOnce, $0) }
    #expect(conformance.checks.count == ReadOnlyStoreConformance.Check.allCases.count - 3)
    #expect(await conformance.findings(of: .changesAreSeen).isEmpty)
  }

  /// The suite for stores that can be written refuses one that only claims to be read.
  @Test func storeWithWritesDoesNotClaimToBeReadOnly() async {
    let conformance = SecretStoreConformance("Reader") { try LyingReadOnlyStore(nil, [:]) }
    #expect(!(await conformance.findings(of: .guaranteesAreStable)).isEmpty)
  }
}
