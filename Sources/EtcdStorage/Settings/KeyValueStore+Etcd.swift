public import KeyValueStorage

extension KeyValueStore {
  /// Creates a store of several machines, in an etcd cluster.
  ///
  /// Each setting is a key, such as `/app/settings/volume`, whose value is JSON that people can
  /// read and other programs can write. A transaction is one transaction of etcd. Keys of other
  /// programs are kept.
  ///
  /// The page <doc:EtcdStorage> says what a read returns while the cluster is unavailable.
  ///
  /// - Parameters:
  ///   - cluster: The cluster.
  ///   - prefix: The beginning of the settings' keys, without a slash at the end.
  ///   - writes: The policy for writing properties.
  ///   - version: The version of the app's settings, stored under the key `$version`; 0 for none.
  ///   - migrations: The migrations from older versions, in ascending order of version.
  public convenience init(
    etcd cluster: EtcdCluster, prefix: String, writes: WritePolicy = .durable, version: Int = 0,
    migrations: [KeyValueMigration] = []
  ) {
    self.init(
      EtcdBackend(cluster, prefix: prefix), writes: writes, version: version,
      migrations: migrations)
  }
}
