import EtcdStorage
import FoundationEssentials
import KeyValueStorage
import SecretStorage
import StorageTesting
import TestSupport
import Testing

@Suite(.needsEtcd, .expectsFailures)
struct EtcdConformanceTests {
  @Test(arguments: SecretStoreConformance.Check.allCases)
  func vaultKeepsTheContract(_ check: SecretStoreConformance.Check) async throws {
    let test = try EtcdTestVault()
    await SecretStoreConformance(
      "SecretVault over etcd", makeStore: { try test.make() }, reopen: { _ in test.open() }
    ).run(check)
  }

  @Test(arguments: KeyValueBackendConformance.Check.allCases)
  func settingsKeepTheContract(_ check: KeyValueBackendConformance.Check) async throws {
    let (first, second) = (try testCluster(), try testCluster())
    let prefix = "/test/\(UUID())"
    await KeyValueBackendConformance(
      "EtcdBackend", makeBackend: { EtcdBackend(first, prefix: prefix) },
      reopen: { _ in EtcdBackend(second, prefix: prefix) }
    ).run(check)
  }

  private static let secure = Result {
    let member = try SecureMember(members: 3)
    return (member, try member.enableUsers(password: "The Valley Wind"))
  }

  @Test(.enabled(if: Campaign.isFull), arguments: SecretStoreConformance.Check.allCases)
  func vaultKeepsTheContractWithTLSAndUsers(_ check: SecretStoreConformance.Check) async throws {
    let (member, user) = try Self.secure.get()
    let test = try EtcdTestVault(member.cluster(user: user), prefix: "/app/\(UUID())")
    await SecretStoreConformance(
      "SecretVault over three members", makeStore: { try test.make() },
      reopen: { _ in test.open() }
    ).run(check)
  }

  @Test(.enabled(if: Campaign.isFull), arguments: KeyValueBackendConformance.Check.allCases)
  func settingsKeepTheContractWithTLSAndUsers(
    _ check: KeyValueBackendConformance.Check
  ) async throws {
    let (member, user) = try Self.secure.get()
    let (first, second) = (member.cluster(user: user), member.cluster(user: user))
    let prefix = "/app/\(UUID())"
    await KeyValueBackendConformance(
      "EtcdBackend over three members", makeBackend: { EtcdBackend(first, prefix: prefix) },
      reopen: { _ in EtcdBackend(second, prefix: prefix) }
    ).run(check)
  }
}
