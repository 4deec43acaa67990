public import FoundationEssentials
import StorageInternals

/// A secret store that keeps its items, encrypted, in a file of this machine.
///
/// ```swift
/// let vault = SecretVault(fileURL: url)
/// @GenericPassword(service: "my.service", in: vault) var name: String?
/// ```
///
/// A vault needs no set-up. Making the object does nothing yet; reading from a vault that does not
/// exist finds nothing, and the first write makes it, with a device key beside the app's state that
/// opens it on this machine without a question. ``setPassphrase(_:cost:)`` replaces that by a
/// passphrase, which is what makes locking mean something.
///
/// Any number of threads, objects and processes may use one vault at once. A write returns when it
/// is on disk. Where the whole file was replaced, as by another passphrase, and the directory could
/// not be synchronised, the change counts, and ``SecretStorage/onFailure`` is told that a power cut
/// may undo it.
///
/// On a full disk, items and slots can still be removed: the vault keeps 64 KiB beside its file for
/// that, and gives them up a part at a time. The first write that finds room takes them again.
///
/// In a forked child, a vault is locked: <doc:InAForkedChild>. The documentation has pages on the
/// format and on what the vault protects against whom.
public final class SecretVault: SecretStore {
  private let locate: @Sendable () throws(SecretStoreError) -> VaultParts
  private let located = Lock<VaultParts?>(nil, inForkedChild: { nil })
  private let timeout = LockTimeout()
  /// The authenticator as the app gave it, which may leave open what vault it is for.
  let givenAuthenticator: (any Authenticator)?
  let cipher: any SecretCipher
  let contents: Lock<VaultContents>
  let writes = WriteQueue<VaultWrite, SecretItem?>()
  let observers = ChangeObservers()
  /// Unlike a queue of Dispatch, it does not end the process where no file can be opened.
  let background = SerialThread()
  let automaticLockingState = Lock(
    AutomaticLockingState(), inForkedChild: { AutomaticLockingState() })

  init(
    cipher: any SecretCipher, authenticator: (any Authenticator)? = nil,
    locate: @escaping @Sendable () throws(SecretStoreError) -> VaultParts
  ) {
    givenAuthenticator = authenticator
    self.cipher = cipher
    self.locate = locate
    contents = Lock(
      VaultContents(cipher: cipher), inForkedChild: { VaultContents(inForkedChild: cipher) })
  }

  /// Names the vault in a file.
  ///
  /// - Parameters:
  ///   - fileURL: Where the vault is or will be. Directories that are missing are made, each for the
  ///     owner alone.
  ///   - stateDirectory: Where the device key is, and how far this machine has seen the vault. It
  ///     should not be copied together with the vault. By default it is the app's directory for state
  ///     by the XDG Base Directory Specification.
  ///   - authenticator: Who asks a person for what an item with ``AccessFlags`` needs, where an
  ///     ``AuthenticationContext`` names nobody; nil means that nobody can be asked. By default it is
  ///     a login of this user on the terminal.
  ///   - cipher: Where the cryptographic primitives come from.
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
        state = try VaultParts.directories(of: nil).state
      }
      return VaultParts(path: fileURL.path, stateDirectory: state, cipher: cipher)
    }
  }

  /// Names the vault of an app: `secrets.vault` in the app's directory for data.
  ///
  /// The directories are those of the XDG Base Directory Specification: the vault is in
  /// `$XDG_DATA_HOME/<app>` and the state in `$XDG_STATE_HOME/<app>`. Without a home directory, as in
  /// a system service, both are in systemd's `$STATE_DIRECTORY`. Where neither is there, every
  /// access throws ``SecretStoreError/unavailable(_:)``.
  ///
  /// - Parameters:
  ///   - applicationName: The name of the directories; nil means the name of the executable.
  ///   - authenticator: Who asks a person for what an item with ``AccessFlags`` needs, where an
  ///     ``AuthenticationContext`` names nobody; nil means that nobody can be asked. By default it is
  ///     a login of this user on the terminal.
  ///   - cipher: Where the cryptographic primitives come from.
  public convenience init(
    applicationName: String? = nil, authenticator: (any Authenticator)? = PAMAuthenticator(),
    cipher: any SecretCipher = OpenSSLCipher()
  ) {
    self.init(cipher: cipher, authenticator: authenticator) { () throws(SecretStoreError) in
      let directories = try VaultParts.directories(of: applicationName)
      return VaultParts(
        path: directories.data + "/secrets.vault", stateDirectory: directories.state,
        cipher: cipher)
    }
  }

  /// Where the vault is, found out at the first access and again until it succeeds.
  var parts: VaultParts {
    get throws(SecretStoreError) {
      try located.withLock { located throws(SecretStoreError) -> VaultParts in
        if let parts = located { return parts }
        var parts = try locate()
        parts.log.lockTimeout = timeout
        parts.device.lockTimeout = timeout
        located = parts
        return parts
      }
    }
  }

  /// How long a write waits at most for other processes, and for other writers of this one; 30
  /// seconds unless the app says otherwise.
  ///
  /// A write that waited in vain throws ``SecretStoreError/busy(path:holder:)`` and changed
  /// nothing. From then on, writes fail at once until the lock is free, so that the thread of a
  /// user interface does not wait again and again. Zero means never to wait. Reading, locking and
  /// unlocking wait for no writer, whatever this is.
  public var lockTimeout: Duration {
    get { timeout.duration }
    set { timeout.duration = newValue }
  }

  /// The vault survives a reboot, is encrypted, enforces accessibility and access control, may be
  /// shared by processes, and detects that an older copy was put back.
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
  /// The vault of this app, as ``SecretVault/init(applicationName:authenticator:cipher:)`` names
  /// it; one object for the whole process, and the default store.
  public static var vault: SecretVault { sharedVault }
}

private let sharedVault = SecretVault()

/// Where the parts of a vault are.
struct VaultParts: Sendable {
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
