import KeyValueStorage
import StorageTesting
import Testing

struct KeyValueBackendConformanceTests {
  @Test(arguments: KeyValueBackendConformance.Check.allCases)
  func backendWithoutViolationConforms(_ check: KeyValueBackendConformance.Check) async {
    await conformance(of: nil).run(check)
  }

  @Test(arguments: BackendViolation.allCases)
  func backendViolationIsDetected(_ violation: BackendViolation) async {
    let findings = await conformance(of: violation).findings(of: violation.check)
    #expect(!findings.isEmpty)
    let title = "Backend with violation \(violation), \(violation.check.rawValue): "
    #expect(findings.allSatisfy { $0.hasPrefix(title) })
    if let operation = violation.operationWithoutNotification {
      #expect(findings.contains { $0.hasPrefix("\(title)\(operation): ") })
    }
  }

  @Test func everyBackendCheckDetectsAViolation() {
    #expect(
      Set(BackendViolation.allCases.map(\.check)) == Set(KeyValueBackendConformance.Check.allCases))
  }

  @Test func repeatedNotificationMayBeAllowed() async {
    let conformance = KeyValueBackendConformance(
      "Backend of a file", timeout: nil, notifiesOncePerChange: false,
      makeBackend: { NonconformingBackend(.notifiesTwice) })
    await conformance.run()
  }

  @Test func revisionsMayGrowAndSizesMayBeLimited() async {
    let conformance = KeyValueBackendConformance(
      "Unusual backend", timeout: nil, makeBackend: { NonconformingBackend(nil, isUnusual: true) })
    await conformance.run()
  }

  @Test func failureToCreateBackendIsFinding() async {
    let error = KeyValueStoreError.unavailable("The server is down.")
    let conformance = KeyValueBackendConformance("Broken") { throw error }
    #expect(
      await conformance.findings(of: .valuesRoundTrip)
        == ["Broken, valuesRoundTrip: unexpected error: \(error)"])
  }

  private func conformance(of violation: BackendViolation?) -> KeyValueBackendConformance {
    @Sendable func backend(_ backend: any KeyValueBackend) throws -> NonconformingBackend {
      try #require(backend as? NonconformingBackend)
    }
    return KeyValueBackendConformance(
      "Backend with violation \(violation.map { "\($0)" } ?? "none")",
      // The time elapses where the violation is a missing notification.
      timeout: violation?.operationWithoutNotification == nil ? nil : .milliseconds(100),
      makeBackend: { NonconformingBackend(violation) },
      reopen: { NonconformingBackend(reopening: try backend($0)) },
      reopenAfterCrash: { NonconformingBackend(afterCrashOf: try backend($0)) },
      damage: { try backend($0).damage() })
  }
}
