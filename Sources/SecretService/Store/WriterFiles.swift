import CLibrary
import Concurrency
import FoundationEssentials
import LibCrypto
import SecretStorage
import StorageInternals

/// The lock that excludes this library's writers of one bus, and the note of an unfinished change.
///
/// Both are files in the user's runtime directory, which is in memory.
struct WriterFiles {
  /// A change of a secret and of attributes, which the daemon makes in separate steps.
  struct Intent: Codable {
    let path: String
    /// The attributes after the change, with the new revision.
    let attributes: [String: String]
    let salt: [UInt8]
    /// The digest of the salt and of the secret's new bytes.
    let digest: [UInt8]
  }

  private static let largestIntent = 1 << 20

  private let lockPath: String
  private let intentPath: String
  private let fileSystem = FileSystem()

  /// - Throws: `SecretStoreError.unavailable` without a runtime directory.
  init(in directory: String?, busIdentifier: String) throws(SecretStoreError) {
    guard let directory else {
      throw .unavailable(
        """
        XDG_RUNTIME_DIR is not set, so writers of the Secret Service cannot exclude each other. Set it to \
        a directory of this user that is removed at logout.
        """)
    }
    // Sent by the bus, and part of a file's name.
    let name = busIdentifier.prefix(64).filter { $0.isASCII && $0.isHexDigit }
    lockPath = "\(directory)/locket/secret-service-\(name).lock"
    intentPath = "\(directory)/locket/secret-service-\(name).intent"
  }

  func lock(by deadline: Deadline) throws(SecretStoreError) -> FileLock {
    do throws(SystemError) {
      return try fileSystem.makingDirectories(for: lockPath) { () throws(SystemError) -> FileLock in
        try FileLock(at: lockPath, in: fileSystem, timeout: deadline.duration)
      }
    } catch {
      throw SecretStoreError(error)
    }
  }

  /// Returns nil if a writer has the lock.
  func lockIfFree() throws(SystemError) -> FileLock? {
    try FileLock.ifFree(at: lockPath, in: fileSystem)
  }

  /// Whether a writer is changing an item, or has ended while it was.
  var hasIntent: Bool {
    do throws(SystemError) {
      return try fileSystem.status(of: intentPath) != nil
    } catch {
      return false
    }
  }

  func write(_ intent: Intent) throws(SecretStoreError) {
    do {
      let bytes = try JSONEncoder().encode(intent)
      let flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW
      try fileSystem.open(intentPath, flags, mode: 0o600).write(bytes, at: 0)
    } catch let error as SystemError {
      throw SecretStoreError(error)
    } catch {
      throw .unavailable("\(error)")
    }
  }

  /// Returns the note of an unfinished change; nil if it is incomplete, since its change has not
  /// begun then.
  func readIntent() throws(SystemError) -> Intent? {
    let bytes = try fileSystem.open(intentPath, O_RDONLY | O_NOFOLLOW)
      .read(from: 0, count: Self.largestIntent)
    do {
      return try JSONDecoder().decode(Intent.self, from: Data(bytes))
    } catch {
      return nil
    }
  }

  func removeIntent() throws(SecretStoreError) {
    do throws(SystemError) {
      try fileSystem.unlink(intentPath)
    } catch {
      throw SecretStoreError(error)
    }
  }
}

extension WriterFiles.Intent {
  /// Creates a note of a change to the secret with these bytes.
  init(path: String, attributes: [String: String], stored: Secret) throws(SecretStoreError) {
    do throws(SystemError) {
      salt = try KernelRandom.bytes(32)
    } catch {
      throw SecretStoreError(error)
    }
    self.path = path
    self.attributes = attributes
    digest = Self.digest(of: stored, salt: salt) ?? []
  }

  /// Whether an item with these attributes is the changed one, since daemons use paths again.
  func isOfItem(with found: [String: String]) -> Bool {
    if let id = attributes[ItemLayout.idKey] { return found[ItemLayout.idKey] == id }
    return attributes.allSatisfy { $0.key == ItemLayout.revisionKey || found[$0.key] == $0.value }
  }

  /// Whether a secret has the bytes of the change; false if libcrypto is missing.
  func isOf(_ stored: Secret) -> Bool {
    guard let other = Self.digest(of: stored, salt: salt) else { return false }
    return other == digest
  }

  private static func digest(of stored: Secret, salt: [UInt8]) -> [UInt8]? {
    do {
      let message = salt[...]
      let code = try CryptoLibrary.shared.get().authenticationCode(of: message, under: stored)
      return unsafe code.withUnsafeBytes { unsafe Array($0) }
    } catch {
      return nil
    }
  }
}
