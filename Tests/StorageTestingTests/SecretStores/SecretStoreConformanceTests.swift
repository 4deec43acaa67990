import SecretStorage
import StorageTesting
import TestSupport
import Testing

@Suite(.expectsFailures)
struct SecretStoreConformanceTests {
  static let inMemory = SecretStoreConformance("InMemorySecretStore") { InMemorySecretStore() }

  @Test(arguments: SecretStoreConformance.Check.allCases)
  func storeInMemoryConforms(_ check: SecretStoreConformance.Check) async {
    await Self.inMemory.run(check)
  }

  @Test func storeThatDoesNotLieConforms() async {
    await conformance(of: nil).run()
  }

  @Test func storeThatChecksProofsConforms() async {
    await SecretStoreConformance("LenientSecretStore") { LenientSecretStore(nil) }.run()
  }

  @Test(arguments: Lie.allCases)
  func lieIsCaught(_ lie: Lie) async {
    let findings = await conformance(of: lie).findings(of: lie.check)
    #expect(!findings.isEmpty)
    let title = "Store with lie \(lie.rawValue), \(lie.check.rawValue): "
    #expect(findings.allSatisfy { $0.hasPrefix(title) })
  }

  @Test func everyCheckCatchesSomeLie() {
    #expect(Set(Lie.allCases.map(\.check)) == Set(SecretStoreConformance.Check.allCases))
  }

  @Test func storeThatCannotBeMadeIsAFinding() async {
    let conformance = SecretStoreConformance("Broken") { throw SecretStoreError.locked }
    #expect(
      await conformance.findings(of: .emptyStoreHasNoItems)
        == ["Broken, emptyStoreHasNoItems: unexpected error: \(SecretStoreError.locked)"])
  }

  private func conformance(of lie: Lie?) -> SecretStoreConformance {
    SecretStoreConformance(
      "Store with lie \(lie.map(\.rawValue) ?? "none")",
      // Only a missing event is waited for in full.
      timeout: lie == nil ? .seconds(20) : .milliseconds(100),
      makeStore: {
        if let lie, lie.isAboutProofs { LenientSecretStore(lie) } else { try LyingSecretStore(lie) }
      },
      reopen: { store in
        if store is LenientSecretStore { return store }
        guard let store = store as? LyingSecretStore else { throw SecretStoreError.conflict }
        return LyingSecretStore(reopening: store)
      })
  }
}
