import SecretStorage
import StorageTesting
import Testing

@Test(arguments: SecretStoreConformance.Check.allCases)
func vaultConformsToTheContract(_ check: SecretStoreConformance.Check) async {
  let vault = TestVault()
  await SecretStoreConformance(
    "SecretVault", makeStore: { vault.open() }, reopen: { _ in vault.open() }
  ).run(check)
}
