import EtcdStorage
import FoundationEssentials
import KeyValueStorage
import SecretStorage
import TestSupport
import Testing

/// The code of the overview of `EtcdStorage`.
@Suite(.needsEtcd)
struct EtcdSnippets {
  @Test func clusterOfThePage() {
    let cluster = EtcdCluster(
      endpoints: ["https://10.0.0.1:2379", "https://10.0.0.2:2379", "https://10.0.0.3:2379"],
      tls: EtcdTLS(
        authority: .file(URL(filePath: "/etc/app/authority.pem")),
        certificate: .file(URL(filePath: "/etc/app/client.pem")),
        key: .file(URL(filePath: "/etc/app/client.key"))))
    #expect(cluster.endpoints.count == 3)
    // The file does not exist, so that no connection is made.
    #expect(throws: KeyValueStoreError.self) {
      try KeyValueStore(etcd: cluster, prefix: "/app/settings").load()
    }
  }

  @Test func settingsAndVaultOfThePage() throws {
    let directory = try TemporaryDirectory()
    let cluster = EtcdCluster(endpoints: [try EtcdProcess.shared.get().url])
    cluster.readTimeout = .seconds(60)
    let keyFile = directory.url.appending(path: "key")
    try Data((0..<64).map { UInt8($0) }).write(to: keyFile)
    func makeVault() throws {
      let settings = KeyValueStore(etcd: cluster, prefix: "/app/settings")
      let volume = StoredValue(wrappedValue: 0.8, "volume", in: settings)
      volume.wrappedValue = 0.5
      #expect(try settings.value(of: "volume") == 0.5)
    }
    try makeVault()
    func first(_ vault: SecretVault) throws {
      try vault.addSlot(.keyFile(keyFile), named: "every machine")
    }
    func second(_ vault: SecretVault) throws {
      try vault.unlock(with: .keyFile(keyFile))
      let token = PasswordItem<String>(.generic(service: "com.example.app"), in: vault)
      token.value = "The Valley Wind"
      #expect(token.value == "The Valley Wind")
    }
    func vault(_ machine: String) -> SecretVault {
      SecretVault(
        etcd: cluster, prefix: "/snippets/vault",
        stateDirectory: directory.url.appending(path: machine))
    }
    try first(vault("a"))
    try second(vault("b"))
    let code = {
      let vault = SecretVault(etcd: cluster, prefix: "/app/vault")
      try vault.addSlot(.keyFile(keyFile), named: "every machine")
    }
    _ = code
  }

  @Test func userOfThePage() {
    let password = Secret("The Valley Wind".utf8)
    let user = EtcdUser(name: "app", password: password)
    #expect(user.name == "app")
  }

  @Test func readme() {
    let cluster = EtcdCluster(endpoints: ["https://10.0.0.1:2379", "https://10.0.0.2:2379"])
    let settings = KeyValueStore(etcd: cluster, prefix: "/app/settings")
    #expect(settings.name == "etcd prefix /app/settings")
  }
}
