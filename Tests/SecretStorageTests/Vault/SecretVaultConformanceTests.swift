import SecretStorage
import StorageTesting
import Testing

@Test(arguments: SecretStoreConformance.Check.allCases)
func vaultConforms(_ check: SecretStoreConformance.Check) async {
  let vault = TestVault()
  await SecretStoreConformance(
    "SecretVault", timeout: nil, makeStore: { vault.open() }, reopen: { _ in vault.open() }
  ).run(check)
}
