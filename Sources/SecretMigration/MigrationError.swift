public import SecretStorage

/// Why secrets could not be migrated.
///
/// No case carries a secret. Whatever is thrown, the source is as it was. Reading changes nothing; an error of
/// writing leaves what was written until then, and migrating again goes on from there.
public enum MigrationError: Error, Hashable, Sendable {
  /// The file is not of the format that it was read as.
  case malformed(path: String, reason: String)
  /// Something in the file is not as it was written, or is encrypted under another passphrase.
  case damaged(path: String, reason: String)
  /// The passphrase does not open the file.
  case wrongPassphrase(path: String)
  /// The file uses something that is not read, or a number outside of the limits that are named.
  case unsupported(path: String, reason: String)
  /// What was given is outside of the limits that are named.
  case invalid(String)
  /// A C library is missing; the text names it and the packages that bring it.
  case missingLibrary(String)
  /// A library refused to work, for the reason given.
  case unavailable(String)
  /// What was written is not what the store gives back.
  case notReadBack(place: String)
  /// The source cannot be removed, for the reason given.
  case notRemovable(path: String, reason: String)
  /// Whoever was told of the progress ended the work.
  case cancelled
  /// The store could not do what it was asked.
  case store(SecretStoreError)
  /// A system call failed.
  case system(call: String, path: String, code: Int32)
}
