import SecretStorage
import StorageTesting
import TestSupport
import Testing

@Suite(.expectsFailures)
struct SecretStoreConformanceTests {
  static let inMemory = SecretStoreConformance("InMemorySecretStore") { InMemorySecretStore() }

  @Test(arguments: SecretStoreConformance.Check.allCases)
  func inMemoryStoreConforms(_ check: SecretStoreConformance.Check) async {
    await Self.inMemory.run(check)
  }

  @Test func storeWithoutViolationConforms() async {
    await conformance(of: nil).run()
  }

  @Test func proofStoreWithoutViolationConforms() async {
    await SecretStoreConformance("NonconformingProofStore") { NonconformingProofStore(nil) }.run()
  }

  @Test(arguments: ContractViolation.allCases)
  func violationIsDetected(_ violation: ContractViolation) async {
    let findings = await conformance(of: violation).findings(of: violation.check)
    #expect(!findings.isEmpty)
    let title = "Store with violation \(violation.rawValue), \(violation.check.rawValue): "
    #expect(findings.allSatisfy { $0.hasPrefix(title) })
  }

  @Test func everyCheckDetectsAViolation() {
    #expect(
      Set(ContractViolation.allCases.map(\.check)) == Set(SecretStoreConformance.Check.allCases))
  }

  /// Each further wait would find the same violation again.
  @Test func missingNotificationEndsTheCheck() async {
    let findings = await conformance(of: .neverNotifies).findings(of: .observersAreNotifiedOfWrites)
    #expect(findings.count == 1)
  }

  @Test func failureToCreateStoreIsFinding() async {
    let conformance = SecretStoreConformance("Broken") { throw SecretStoreError.locked }
    #expect(
      await conformance.findings(of: .emptyStoreHasNoItems)
        == ["Broken, emptyStoreHasNoItems: unexpected error: \(SecretStoreError.locked)"])
  }

  private func conformance(of violation: ContractViolation?) -> SecretStoreConformance {
    SecretStoreConformance(
      "Store with violation \(violation.map(\.rawValue) ?? "none")",
      // The full timeout elapses only if a notification is missing.
      timeout: violation == nil ? .seconds(20) : .milliseconds(100),
      makeStore: {
        if let violation, violation.concernsProofs {
          NonconformingProofStore(violation)
        } else {
          try NonconformingSecretStore(violation)
        }
      },
      reopen: { store in
        if store is NonconformingProofStore { return store }
        guard let store = store as? NonconformingSecretStore else {
          throw SecretStoreError.conflict
        }
        return NonconformingSecretStore(reopening: store)
      })
  }
}
