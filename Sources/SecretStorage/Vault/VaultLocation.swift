import StorageInternals

/// The log and the device state of a vault.
struct VaultLocation: Sendable {
  var log: any RecordLog
  var device: DeviceState

  init(
    path: String, stateDirectory: String, cipher: any SecretCipher,
    machineIdentity: String = "/etc/machine-id",
    credentialsDirectory: String? = ApplicationDirectories.credentials(),
    fileSystem: FileSystem = FileSystem()
  ) {
    log = FileRecordLog(path: path, cipher: cipher, fileSystem: fileSystem)
    device = DeviceState(
      directory: stateDirectory, machineIdentity: machineIdentity,
      credentialsDirectory: credentialsDirectory, fileSystem: fileSystem,
      cipher: cipher)
  }

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
