import EtcdStorage
import FoundationEssentials
import KeyValueStorage
import SecretStorage

extension Option {
  static let etcd = Option(
    "etcd", "URL", "a member of the etcd cluster that is used instead of files, with --prefix",
    isRepeatable: true)
  static let prefix = Option(
    "prefix", "KEYS", "the beginning of the keys in etcd, such as /app/vault or /app/settings")
  private static let authority = Option(
    "etcd-authority", "FILE", "the certificate of the authority of the cluster's certificates")
  private static let certificate = Option(
    "etcd-certificate", "FILE", "the client's certificate for the cluster")
  private static let certificateKey = Option(
    "etcd-key", "FILE", "the private key of that certificate")
  private static let user = Option("etcd-user", "NAME", "the user of etcd")
  private static let passwordFile = Option(
    "etcd-password-file", "FILE", "a file with that user's password")

  static let etcdPlace = [
    etcd, prefix, authority, certificate, certificateKey, user, passwordFile,
  ]

  fileprivate static func cluster(of arguments: Arguments) throws -> EtcdCluster {
    func pem(_ option: Option) throws(UsageError) -> EtcdTLS.PEM? {
      try arguments.path(option).map { .file(URL(filePath: $0)) }
    }
    var account: EtcdUser?
    if let name = arguments[user] {
      guard let file = try arguments.passphrasePath(passwordFile) else {
        throw UsageError("--etcd-user needs --etcd-password-file.")
      }
      account = EtcdUser(name: name, password: try SecretInput.file(file))
    }
    return EtcdCluster(
      endpoints: arguments.all(etcd),
      tls: EtcdTLS(
        authority: try pem(authority), certificate: try pem(certificate),
        key: try pem(certificateKey)), user: account)
  }
}

extension Arguments {
  /// Returns the cluster and the prefix of the options; nil without `--etcd`.
  private func etcdPlace() throws -> (EtcdCluster, prefix: String)? {
    guard has(.etcd) else {
      if let option = Option.etcdPlace.first(where: has) {
        throw UsageError("\(option.flag) needs --etcd.")
      }
      return nil
    }
    guard let prefix = self[.prefix] else { throw UsageError("--etcd needs --prefix.") }
    return (try Option.cluster(of: self), prefix)
  }

  /// Returns the vault in etcd of the options; nil without `--etcd`.
  func etcdVault(stateDirectory: () throws -> String) throws -> SecretVault? {
    guard let (cluster, prefix) = try etcdPlace() else { return nil }
    if has(.vault) { throw UsageError("--etcd and --vault exclude each other.") }
    return SecretVault(
      etcd: cluster, prefix: prefix,
      stateDirectory: URL(filePath: try stateDirectory(), directoryHint: .isDirectory))
  }

  /// Returns the settings in etcd of the options; nil without `--etcd`.
  func etcdSettings() throws -> KeyValueStore? {
    guard let (cluster, prefix) = try etcdPlace() else { return nil }
    if has(.settingsFile) { throw UsageError("--etcd and --file exclude each other.") }
    return KeyValueStore(etcd: cluster, prefix: prefix)
  }
}
