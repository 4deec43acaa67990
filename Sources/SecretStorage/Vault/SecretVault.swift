import Concurrency
public import FoundationEssentials
import StorageInternals
import Synchronization

/// A secret store that keeps its items in an encrypted file.
///
/// ```swift
/// let vault = SecretVault(fileURL: url)
/// @GenericPassword(service: "my.service", in: vault) var name: String?
/// ```
///
/// A vault that does not exist has no items. The first write creates the file, and a device key in
/// the app's state directory that unlocks the vault automatically on this machine.
/// ``setPassphrase(_:cost:)`` replaces that key. Without a passphrase, locking does not protect the
/// vault from other programs of the same user.
///
/// Any number of threads, objects and processes may use a vault concurrently. A write returns when
/// it is on disk. If a write replaces the file, as a change of passphrase does, and flushing the
/// directory fails, the write still succeeds, but ``SecretStores/onFailure`` reports that a power
/// failure may undo it. Later writes then throw ``SecretStoreError/uncertain(path:code:)`` until
/// the directory has been flushed.
///
/// The vault reserves 64 KiB of disk space, so that items and slots can be removed on a full disk.
/// In a child that is forked without `exec`, each call throws ``SecretStoreError/forked``. See also
/// <doc:TheVaultsFormat> and <doc:WhatTheVaultProtects>.
public final class SecretVault: SecretStore {
  // The operations are in the files SecretVault+…: Reading, Writing and Observing, with Constraints
  // for access flags; Anchoring for this machine's records; Slots, Passphrases and Rotation for
  // keys; Locking and AutomaticLocking; Maintenance, Compaction and Diagnosis; Exporting and
  // Importing. The head of each file says what it adds.

  private let foundLocation: LazyValue<VaultLocation, SecretStoreError>
  private let timeout: LockTimeout
  private let isSharingAllowed = Atomic(false)
  let givenAuthenticator: (any Authenticator)?
  let cipher: any SecretCipher
  /// The maximum number of items in one record, and in one step of a long-running operation.
  let batchSize: Int
  let contents: Lock<VaultContents>
  let writes = WriteQueue()
  let observers = ChangeObservers()
  /// The failures of each maintenance task since it last succeeded.
  let failedTasks = Lock([String: [SecretStorageFailure]]())
  let fileWatch = Lock(SharedWatch())
  /// The queue for background work; a dispatch queue would crash if no file could be opened.
  let background = SerialQueue()
  /// The setting, and the observations of its signals; the idle period is in `contents`.
  let automaticLockingState = Lock(
    (setting: AutomaticLocking(), observations: [ChangeObservation]()))

  init(
    cipher: any SecretCipher, authenticator: (any Authenticator)? = nil, batchSize: Int = 256,
    locate: @escaping @Sendable (LockTimeout) throws(SecretStoreError) -> VaultLocation
  ) {
    givenAuthenticator = authenticator
    self.cipher = cipher
    self.batchSize = batchSize
    let timeout = LockTimeout()
    self.timeout = timeout
    foundLocation = LazyValue { () throws(SecretStoreError) in try locate(timeout) }
    contents = Lock(VaultContents(cipher: cipher))
  }

  /// Creates an object for the vault in a file, without accessing the disk.
  ///
  /// - Parameters:
  ///   - fileURL: The vault's file; missing directories are created, accessible only to the owner.
  ///   - stateDirectory: The directory of the device key and of this machine's record of the vault,
  ///     which should not be copied with it; nil means the app's XDG state directory.
  ///   - authenticator: The authenticator that obtains proofs for ``AccessFlags`` if an
  ///     ``AuthenticationContext`` has none; with nil, the user cannot be asked.
  ///   - cipher: The implementation of the cryptographic primitives.
  public convenience init(
    fileURL: URL, stateDirectory: URL? = nil,
    authenticator: (any Authenticator)? = PAMAuthenticator(),
    cipher: any SecretCipher = OpenSSLCipher()
  ) {
    self.init(cipher: cipher, authenticator: authenticator) { timeout throws(SecretStoreError) in
      let state =
        if let stateDirectory { try stateDirectory.filePath } else {
          try VaultLocation.directories(of: nil).state
        }
      return VaultLocation(
        path: try fileURL.filePath, stateDirectory: state, cipher: cipher, lockTimeout: timeout)
    }
  }

  /// Creates an object for the vault of an app, `secrets.vault` in the app's data directory.
  ///
  /// The vault is in `$XDG_DATA_HOME/<app>`, and the state in `$XDG_STATE_HOME/<app>`. Without a
  /// home directory, both are in systemd's `$STATE_DIRECTORY`; without that, every access throws
  /// ``SecretStoreError/unavailable(_:)``.
  ///
  /// - Parameters:
  ///   - applicationName: The name of the directories; nil means the name of the executable.
  ///   - authenticator: As for ``init(fileURL:stateDirectory:authenticator:cipher:)``.
  ///   - cipher: The implementation of the cryptographic primitives.
  public convenience init(
    applicationName: String? = nil, authenticator: (any Authenticator)? = PAMAuthenticator(),
    cipher: any SecretCipher = OpenSSLCipher()
  ) {
    self.init(cipher: cipher, authenticator: authenticator) { timeout throws(SecretStoreError) in
      let directories = try VaultLocation.directories(of: applicationName)
      return VaultLocation(
        path: directories.data + "/secrets.vault", stateDirectory: directories.state,
        cipher: cipher, lockTimeout: timeout)
    }
  }

  /// The location of the vault, with which each access begins; throws in a forked child.
  var location: VaultLocation {
    get throws(SecretStoreError) {
      if Fork.isChild { throw .forked }
      return try foundLocation.get()
    }
  }

  /// The maximum wait of a write for other writers: 30 seconds by default; zero means no waiting.
  ///
  /// A write that times out throws ``SecretStoreError/busy(path:holder:)`` and changes nothing.
  /// Further writes then fail immediately until the lock is free. Reading and locking never wait
  /// for the lock. Unlocking waits only after two key rotations interfered.
  public var lockTimeout: Duration {
    get { timeout.duration }
    set { timeout.duration = newValue }
  }

  /// Whether other users may have write permission on the vault's directory or the state directory.
  ///
  /// If false, the default, a write revokes the permission, because others could replace the files,
  /// or throws ``SecretStoreError/insecure(path:reason:)``. Creating a vault or a device key in the
  /// directory of another user, for example as root, also throws this error. A sticky directory of
  /// root or of this user, such as `/tmp`, is allowed. A read checks only the files. The value true
  /// is for a volume that several trusted users share.
  public var allowsSharedDirectories: Bool {
    get { isSharingAllowed.load(ordering: .relaxed) }
    set { isSharingAllowed.store(newValue, ordering: .relaxed) }
  }

  /// The location of the vault for writing, with its directories protected from other users.
  var protectedLocation: VaultLocation {
    get throws(SecretStoreError) {
      let location = try location
      if !allowsSharedDirectories {
        let fileSystem = location.file.fileSystem
        try fileSystem.protectDirectory(location.file.directory, of: location.file.path)
        try fileSystem.protectDirectory(location.device.directory, of: location.device.keyPath)
      }
      return location
    }
  }

  /// The guarantees of a vault.
  public var guarantees: StoreGuarantees {
    [
      .survivesReboot, .encryptedAtRest, .enforcesAccessibility, .enforcesAccessControl,
      .sharedBetweenProcesses, .detectsRollback,
    ]
  }
}

extension SecretVault: CustomReflectable {
  /// A mirror without children, so that `dump` reveals no item names.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

extension SecretStore where Self == SecretVault {
  /// The vault of this app, which is also the default store: one object for the process, created
  /// with ``SecretVault/init(applicationName:authenticator:cipher:)``.
  public static var vault: SecretVault { sharedVault }
}

private let sharedVault = SecretVault()

extension URL {
  /// The path of a file URL; throws for another URL, or if the path is empty or not UTF-8.
  fileprivate var filePath: String {
    get throws(SecretStoreError) {
      if isFileURL, !path.isEmpty { return path }
      throw .invalid("\(absoluteString) is not the URL of a file with a path in UTF-8")
    }
  }
}
