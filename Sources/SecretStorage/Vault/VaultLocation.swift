import StorageInternals

/// The log of a vault, and the device state that belongs to it.
final class VaultLocation: Sendable {
  let log: any RecordLog
  /// The same log, for the operations that only files have.
  let file: FileRecordLog
  let device: DeviceState

  init(
    path: String, stateDirectory: String, cipher: any SecretCipher, lockTimeout: LockTimeout,
    machineIdentity: String = "/etc/machine-id",
    credentialsDirectory: String? = ApplicationDirectories.credentials(),
    fileSystem: FileSystem = FileSystem()
  ) {
    file = FileRecordLog(
      path: path, cipher: cipher, fileSystem: fileSystem, lockTimeout: lockTimeout)
    log = file
    device = DeviceState(
      directory: stateDirectory, machineIdentity: machineIdentity,
      credentialsDirectory: credentialsDirectory, fileSystem: fileSystem,
      cipher: cipher, lockTimeout: lockTimeout)
  }

  /// Returns the data and the state directory of an app; nil means the name of the executable.
  static func directories(
    of applicationName: String?
  ) throws(SecretStoreError) -> (data: String, state: String) {
    do {
      let directories = try ApplicationDirectories(applicationName: applicationName)
      return (try directories.data, try directories.state)
    } catch {
      throw .unavailable("\(error)")
    }
  }
}
