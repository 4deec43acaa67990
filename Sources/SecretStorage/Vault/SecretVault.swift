import Concurrency
public import FoundationEssentials
import StorageInternals
import Synchronization

/// A secret store that keeps its items, encrypted, in a file on this machine.
///
/// ```swift
/// let vault = SecretVault(fileURL: url)
/// @GenericPassword(service: "my.service", in: vault) var name: String?
/// ```
///
/// A vault needs no set-up. Creating the object has no effect on disk. Reading a vault that does
/// not exist finds no items. The first write creates it, with a device key in the app's state
/// directory that opens it unattended on this machine. ``setPassphrase(_:cost:)`` replaces that key
/// with a passphrase; without one, locking is no protection from other programs of this user.
///
/// Any number of threads, objects and processes may use one vault at once. A write returns when it
/// is on disk. If the whole file was replaced, as by another passphrase, and the directory could
/// not be flushed, the change counts, and ``SecretStores/onFailure`` reports that a power failure
/// may undo it.
///
/// On a full disk, items and slots can still be removed: the vault reserves 64 KiB beside its file
/// for that, and releases them in parts. The first write that finds room restores the reserve.
///
/// In a forked child, a vault is locked: <doc:InAForkedChild>. The documentation has pages on the
/// format and on the threats that the vault protects against.
public final class SecretVault: SecretStore {
  private let locate: @Sendable () throws(SecretStoreError) -> VaultLocation
  private let located = Lock<VaultLocation?>(nil, inForkedChild: { nil })
  private let timeout = LockTimeout()
  private let isSharingAllowed = Atomic(false)
  /// The authenticator that the app passed, which may not name a vault.
  let givenAuthenticator: (any Authenticator)?
  let cipher: any SecretCipher
  let contents: Lock<VaultContents>
  let writes = WriteQueue<VaultWrite, SecretItem?, SecretStoreError>()
  let observers = ChangeObservers()
  let fileWatch = Lock(SharedWatch(), inForkedChild: { SharedWatch() })
  /// Not a Dispatch queue, which ends the process if no file can be opened.
  let background = SerialThread()
  let automaticLockingState = Lock(
    AutomaticLockingState(), inForkedChild: { AutomaticLockingState() })

  init(
    cipher: any SecretCipher, authenticator: (any Authenticator)? = nil,
    locate: @escaping @Sendable () throws(SecretStoreError) -> VaultLocation
  ) {
    givenAuthenticator = authenticator
    self.cipher = cipher
    self.locate = locate
    contents = Lock(
      VaultContents(cipher: cipher), inForkedChild: { VaultContents(inForkedChild: cipher) })
  }

  /// Creates an object for the vault in a file.
  ///
  /// - Parameters:
  ///   - fileURL: The file of the vault. It need not exist. Missing directories are created with
  ///     access for the owner only.
  ///   - stateDirectory: The directory of the device key and of this machine's record of the vault.
  ///     It should not be copied together with the vault. By default it is the app's directory for
  ///     state by the XDG Base Directory Specification.
  ///   - authenticator: Asks the user for the proof that an item with ``AccessFlags`` needs, if an
  ///     ``AuthenticationContext`` has no authenticator; nil means that no user can be asked. By
  ///     default it is a login of this user on the terminal.
  ///   - cipher: The implementation of the cryptographic primitives.
  public convenience init(
    fileURL: URL, stateDirectory: URL? = nil,
    authenticator: (any Authenticator)? = PAMAuthenticator(),
    cipher: any SecretCipher = OpenSSLCipher()
  ) {
    self.init(cipher: cipher, authenticator: authenticator) { () throws(SecretStoreError) in
      let state: String
      if let stateDirectory {
        state = stateDirectory.path
      } else {
        state = try VaultLocation.directories(of: nil).state
      }
      return VaultLocation(path: fileURL.path, stateDirectory: state, cipher: cipher)
    }
  }

  /// Creates an object for the vault of an app: `secrets.vault` in the app's directory for data.
  ///
  /// The directories are those of the XDG Base Directory Specification: the vault is in
  /// `$XDG_DATA_HOME/<app>` and the state in `$XDG_STATE_HOME/<app>`. Without a home directory, as
  /// in a system service, both are in systemd's `$STATE_DIRECTORY`. If neither exists, every access
  /// throws ``SecretStoreError/unavailable(_:)``.
  ///
  /// - Parameters:
  ///   - applicationName: The name of the directories; nil means the name of the executable.
  ///   - authenticator: Asks the user for the proof that an item with ``AccessFlags`` needs, if an
  ///     ``AuthenticationContext`` has no authenticator; nil means that no user can be asked. By
  ///     default it is a login of this user on the terminal.
  ///   - cipher: The implementation of the cryptographic primitives.
  public convenience init(
    applicationName: String? = nil, authenticator: (any Authenticator)? = PAMAuthenticator(),
    cipher: any SecretCipher = OpenSSLCipher()
  ) {
    self.init(cipher: cipher, authenticator: authenticator) { () throws(SecretStoreError) in
      let directories = try VaultLocation.directories(of: applicationName)
      return VaultLocation(
        path: directories.data + "/secrets.vault", stateDirectory: directories.state,
        cipher: cipher)
    }
  }

  /// The location of the vault, determined at the first access and retried until it succeeds.
  var parts: VaultLocation {
    get throws(SecretStoreError) {
      try located.withLock { located throws(SecretStoreError) -> VaultLocation in
        if let parts = located { return parts }
        var parts = try locate()
        parts.log.lockTimeout = timeout
        parts.device.lockTimeout = timeout
        located = parts
        return parts
      }
    }
  }

  /// The longest time that a write waits for other writers, in this process and others; 30 seconds
  /// by default.
  ///
  /// A write that times out throws ``SecretStoreError/busy(path:holder:)`` and changes nothing.
  /// From then on, writes fail at once until the lock is free, so that the thread of a user
  /// interface does not block repeatedly. Zero means never to wait. Reading, locking and unlocking
  /// never wait for writers.
  public var lockTimeout: Duration {
    get { timeout.duration }
    set { timeout.duration = newValue }
  }

  /// Whether the vault may be written if other users can write to its directory, or to that of the
  /// state; false by default.
  ///
  /// Any user with write permission on a directory can replace its files with older ones, or remove
  /// them. If this user owns the directory, a write therefore removes that permission from the
  /// group and from others. Otherwise, or if the file system has no such permissions, the write
  /// throws ``SecretStoreError/insecure(path:reason:)``. True leaves both directories unchanged:
  /// for a volume that several users share on purpose, all of them trusted. A sticky directory of
  /// root or of this user, such as `/tmp`, is not changed. Reading checks the files alone.
  public var allowsSharedDirectories: Bool {
    get { isSharingAllowed.load(ordering: .relaxed) }
    set { isSharingAllowed.store(newValue, ordering: .relaxed) }
  }

  /// The parts for writing, with their directories protected from other users.
  var protectedParts: VaultLocation {
    get throws(SecretStoreError) {
      let parts = try parts
      if !allowsSharedDirectories {
        try parts.log.protect()
        try parts.device.fileSystem.protectDirectory(parts.device.directory)
      }
      return parts
    }
  }

  /// The guarantees of a vault: it survives a reboot, is encrypted, enforces accessibility and
  /// access control, may be shared by processes, and detects rollbacks.
  public var guarantees: StoreGuarantees {
    [
      .survivesReboot, .encryptedAtRest, .enforcesAccessibility, .enforcesAccessControl,
      .sharedBetweenProcesses, .detectsRollback,
    ]
  }
}

extension SecretVault: CustomReflectable {
  /// A mirror without children, so that a dump shows no names.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

extension SecretStore where Self == SecretVault {
  /// The vault of this app, as ``SecretVault/init(applicationName:authenticator:cipher:)`` creates
  /// it; one object for the whole process, and the default store.
  public static var vault: SecretVault { sharedVault }
}

private let sharedVault = SecretVault()

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
