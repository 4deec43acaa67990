import SecretStorage
import StorageTesting
import TestSupport
import Testing

@Suite(.expectsFailures)
struct SecretStoreConformanceTests {
  @Test(arguments: SecretStoreConformance.Check.allCases)
  func inMemoryStoreConforms(_ check: SecretStoreConformance.Check) async {
    await SecretStoreConformance("InMemorySecretStore", timeout: nil) { InMemorySecretStore() }
      .run(check)
  }

  @Test func storeWithoutViolationConforms() async {
    await conformance(of: nil).run()
    // The other checks are those of the vault.
    for violation in ContractViolation.allCases where violation.concernsProofs {
      await SecretStoreConformance("NonconformingProofStore", timeout: nil) {
        try NonconformingProofStore(nil)
      }.run(violation.check)
    }
  }

  @Test(arguments: ContractViolation.allCases)
  func violationIsDetected(_ violation: ContractViolation) async {
    let findings = await conformance(of: violation).findings(of: violation.check)
    #expect(!findings.isEmpty)
    let title = "Store with violation \(violation), \(violation.check.rawValue): "
    #expect(findings.allSatisfy { $0.hasPrefix(title) })
  }

  @Test func everyCheckDetectsAViolation() {
    #expect(
      Set(ContractViolation.allCases.map(\.check)) == Set(SecretStoreConformance.Check.allCases))
  }

  @Test func failureToCreateStoreIsFinding() async {
    let conformance = SecretStoreConformance("Broken") { throw SecretStoreError.locked() }
    #expect(
      await conformance.findings(of: .emptyStoreHasNoItems)
        == ["Broken, emptyStoreHasNoItems: unexpected error: \(SecretStoreError.locked())"])
  }

  private func conformance(of violation: ContractViolation?) -> SecretStoreConformance {
    let missesNotifications = violation == .neverNotifies || violation == .notifiesOwnWritesOnly
    return SecretStoreConformance(
      "Store with violation \(violation.map { "\($0)" } ?? "none")",
      // The time elapses where the violation is a missing notification.
      timeout: missesNotifications ? .milliseconds(100) : nil,
      makeStore: {
        if let violation, violation.concernsProofs {
          try NonconformingProofStore(violation)
        } else {
          try NonconformingSecretStore(violation)
        }
      },
      reopen: { store in
        (store as? NonconformingSecretStore).map { NonconformingSecretStore(reopening: $0) }
          ?? store
      })
  }
}
