public import FoundationEssentials
public import SecretStorage

extension SecretVault {
  /// Creates an object for the vault of several machines, in an etcd cluster.
  ///
  /// ```swift
  /// let vault = SecretVault(etcd: cluster, prefix: "/app/vault")
  /// try vault.unlock(with: .keyFile(URL(filePath: "/etc/app/vault.key")))
  /// ```
  ///
  /// etcd stores sealed records only. The vault is created by its first slot, which every machine
  /// must be able to open: `setPassphrase(_:cost:)` or
  /// `addSlot(_:named:cost:)`. A vault whose only slots are those of
  /// devices is refused, because the other machines could not open it.
  ///
  /// A write returns when a majority of the members has it on disk. If its answer is lost and the
  /// cluster stays away, it throws `uncertain(_:)`. Reads are
  /// described in <doc:EtcdStorage>.
  ///
  /// - Parameters:
  ///   - cluster: The cluster.
  ///   - prefix: The beginning of the vault's keys, without a slash at the end. It must not be
  ///     within the prefix of settings, such as `/app` for `/app/vault`.
  ///   - stateDirectory: The directory of this machine's record of the vault, which detects that an
  ///     older backup of etcd was restored. The default is the app's XDG state directory.
  ///   - authenticator: Obtains proofs for `AccessFlags`.
  ///   - cipher: The implementation of the cryptographic primitives.
  public convenience init(
    etcd cluster: EtcdCluster, prefix: String, stateDirectory: URL? = nil,
    authenticator: (any Authenticator)? = PAMAuthenticator(),
    cipher: any SecretCipher = OpenSSLCipher()
  ) {
    self.init(cipher: cipher, authenticator: authenticator) { () throws(SecretStoreError) in
      guard EtcdCluster.isValid(prefix: prefix) else {
        throw .invalid("The prefix of a vault in etcd must have the form /app/vault")
      }
      return try VaultLocation(
        log: EtcdRecordLog(cluster, prefix: prefix, cipher: cipher),
        stateDirectory: stateDirectory?.path, cipher: cipher)
    }
  }
}
