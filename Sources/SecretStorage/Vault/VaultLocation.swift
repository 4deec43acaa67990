import StorageInternals

/// The location of a vault: its log, and the state of the device.
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

  /// Returns an app's directories for data and state; nil means the name of the executable.
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
