import Concurrency
import KeyValueStorage
import StorageTesting
import TestSupport
import Testing

@Suite(.expectsFailures)
struct KeyValueBackendConformanceTests {
  @Test(arguments: KeyValueBackendConformance.Check.allCases)
  func backendWithoutViolationConforms(_ check: KeyValueBackendConformance.Check) async {
    await conformance(of: nil).run(check)
  }

  @Test(arguments: BackendViolation.allCases)
  func violationIsDetected(_ violation: BackendViolation) async {
    let findings = await conformance(of: violation).findings(of: violation.check)
    #expect(!findings.isEmpty)
    let title = "Backend with violation \(violation.rawValue), \(violation.check.rawValue): "
    #expect(findings.allSatisfy { $0.hasPrefix(title) })
    let finding = violation.finding
    #expect(findings.contains { finding.isEmpty || $0.contains(finding) }, "\(findings)")
  }

  @Test func everyCheckDetectsAViolation() {
    #expect(
      Set(BackendViolation.allCases.map(\.check)) == Set(KeyValueBackendConformance.Check.allCases))
  }

  @Test func backendThatIsNotifiedSeveralTimesMaySaySo() async {
    let conformance = KeyValueBackendConformance("Twice", notifiesOnce: false) {
      NonconformingBackend(.notifiesTwice)
    }
    await conformance.run()
  }

  @Test func onlyApplicableChecksAreListed() {
    let plain = KeyValueBackendConformance("Plain", notifiesOnce: false) {
      NonconformingBackend(nil)
    }
    let missing: Set<KeyValueBackendConformance.Check> = [
      .otherBackendSeesUpdates, .updatesSurviveACrash, .observersAreNotifiedOfOtherBackend,
      .observersAreNotifiedOnce, .interruptionIsThrown, .damageIsThrown,
      .damagedContentsAreMovedAside,
    ]
    let all = KeyValueBackendConformance.Check.allCases
    #expect(plain.checks == all.filter { !missing.contains($0) })
    #expect(conformance(of: nil).checks == all)
  }

  @Test func backendMayRefuseToBeCreatedOnDamagedContents() async {
    let conformance = KeyValueBackendConformance(
      "Refusing", makeBackend: { NonconformingBackend(nil) },
      reopen: { backend in
        let reopened = NonconformingBackend(reopening: try nonconforming(backend))
        _ = try reopened.load()
        return reopened
      },
      damage: { try nonconforming($0).server.state.withLock { $0.isDamaged = true } })
    await conformance.run(.damageIsThrown)
  }

  @Test func uncertaintyAboutChangesIsAwaitedWithPauses() async {
    let backend = NonconformingBackend(.inventsOldValues)
    let conformance = KeyValueBackendConformance("Uncertain", timeout: .milliseconds(200)) {
      backend
    }
    _ = await conformance.findings(of: .updateWithoutChangesWritesNothing)
    #expect(backend.server.state.withLock { $0.reads } < 40)
  }

  @Test func backendsMayWaitForTasks() async {
    let callsOfTasks = Lock(0)
    let conformance = KeyValueBackendConformance(
      "Bridging", makeBackend: { BridgingBackend(countingCallsIn: callsOfTasks) },
      reopen: { BridgingBackend(reopening: try #require($0 as? BridgingBackend)) })
    await withTaskGroup { group in
      for check in conformance.checks { group.addTask { await conformance.run(check) } }
    }
    #expect(callsOfTasks.withLock { $0 } == 0)
  }

  @Test func failureToCreateBackendIsFinding() async {
    let conformance = KeyValueBackendConformance("Broken") { throw KeyValueStoreError.cancelled }
    #expect(
      await conformance.findings(of: .newStorageIsEmpty)
        == ["Broken, newStorageIsEmpty: unexpected error: \(KeyValueStoreError.cancelled)"])
  }

  private func conformance(of violation: BackendViolation?) -> KeyValueBackendConformance {
    KeyValueBackendConformance(
      "Backend with violation \(violation.map(\.rawValue) ?? "none")",
      // The full timeout elapses only if a notification is missing.
      timeout: violation == nil ? .seconds(20) : .milliseconds(100),
      makeBackend: { NonconformingBackend(violation) },
      reopen: { NonconformingBackend(reopening: try nonconforming($0)) },
      damage: { try nonconforming($0).server.state.withLock { $0.isDamaged = true } },
      interrupt: { backend in
        let server = try nonconforming(backend).server
        server.state.withLock { $0.isDown = true }
        return { server.state.withLock { $0.isDown = false } }
      })
  }
}

private func nonconforming(_ backend: any KeyValueBackend) throws -> NonconformingBackend {
  try #require(backend as? NonconformingBackend)
}
