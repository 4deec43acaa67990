import SecretStorage
import SecretStorageTesting
import Testing

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
    await withKnownIssue { await conformance(of: lie).run(lie.check) }
  }

  @Test func everyCheckCatchesSomeLie() {
    #expect(Set(Lie.allCases.map(\.check)) == Set(SecretStoreConformance.Check.allCases))
  }

  @Test func storeThatCannotBeMadeIsAnIssue() async {
    let conformance = SecretStoreConformance("Broken") { throw SecretStoreError.locked }
    await withKnownIssue { await conformance.run(.emptyStoreHasNothing) }
  }

  private func conformance(of lie: Lie?) -> SecretStoreConformance {
    SecretStoreConformance(
      "Store with lie \(lie.map(\.rawValue) ?? "none")",
      // Only what never comes is waited for in full.
      patience: lie == nil ? .seconds(20) : .milliseconds(100),
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
