import Concurrency
import FoundationEssentials
import SecretStorage
import TestSupport

@testable import EtcdStorage

/// The vault of one test in the shared member.
final class EtcdTestVault: Sendable {
  let cluster: EtcdCluster
  let prefix: String
  let directory: TemporaryDirectory

  init(_ cluster: EtcdCluster? = nil, prefix: String = "/test/\(UUID())") throws {
    self.prefix = prefix
    self.cluster = try cluster ?? testCluster()
    directory = try TemporaryDirectory()
    try Data((0..<64).map { _ in UInt8.random(in: 0...255) }).write(to: keyFile)
  }

  var keyFile: URL { URL(filePath: directory("vault.key")) }

  /// Returns an object for the vault, as a process of a machine has one; a vault opens without a
  /// key on the machine that made it.
  func open(machine: String = "a", _ cluster: EtcdCluster? = nil) -> SecretVault {
    SecretVault(
      etcd: cluster ?? self.cluster, prefix: prefix,
      stateDirectory: URL(filePath: directory("state-\(machine)")), authenticator: nil)
  }

  /// Makes the vault, with a slot that every machine can open.
  func make() throws -> SecretVault {
    let vault = open()
    try vault.addSlot(.keyFile(keyFile), named: "every machine")
    return vault
  }
}

/// Returns a client of the shared member, with connections of its own.
func testCluster() throws -> EtcdCluster {
  let cluster = EtcdCluster(endpoints: [try EtcdProcess.shared.get().url])
  // The tests of other suites keep the machine busy.
  cluster.requestTimeout = .seconds(20)
  cluster.readTimeout = .seconds(60)
  cluster.writeTimeout = .seconds(60)
  return cluster
}

extension SecretVault {
  func add(_ text: String, account: String) throws -> SecretItem {
    try add(
      Secret(Data(text.utf8)), identity: .generic(service: "s", account: account),
      attributes: ItemAttributes())
  }

  func text(of account: String) throws -> String? {
    let found = try items(matching: .exactly(.generic(service: "s", account: account))).first
    return try found.flatMap { try secret(of: $0.id)?.secret.password }
  }
}

extension Secret {
  /// The secret as text.
  var password: String {
    unsafe withUnsafeBytes { bytes in unsafe String(decoding: bytes, as: UTF8.self) }
  }
}
