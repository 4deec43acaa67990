import SecretService
import SecretStorage
import StorageTesting
import TestSupport
import Testing

@Suite(.withDaemon) struct SecretServiceConformanceTests {
  @Test(arguments: SecretStoreConformance.Check.allCases)
  func storeKeepsTheContract(_ check: SecretStoreConformance.Check) async throws {
    let bus = try TestBus()
    await SecretStoreConformance(
      "SecretServiceStore", largestSecret: 1 << 20, makeStore: { bus.store() },
      reopen: { _ in bus.store() }
    ).run(check)
  }
}
