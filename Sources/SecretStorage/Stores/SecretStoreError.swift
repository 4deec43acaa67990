/// Why a store could not do what it was asked.
///
/// No case carries a secret.
public enum SecretStoreError: Error, Hashable, Sendable {
  /// The store is locked.
  case locked
  /// The passphrase opens none of the store's passphrase slots.
  case wrongPassphrase
  /// What is named, a key file, a credential or a recovery code, opens none of the store's slots.
  case wrongKey(String)
  /// The application password is not the one that the item was sealed under.
  case wrongApplicationPassword
  /// The person, or the app, gave up: nothing was proved, or long work was left where it was.
  case cancelled
  /// The item is there and intact, but may not be read, for the reason given.
  case denied(String)
  /// The vault, or the item, is sealed for another machine or another device key.
  case otherDevice(String)
  /// An item with the same identity exists.
  case duplicate
  /// The item was changed or removed since it was read.
  case conflict
  /// The store cannot honour what is named.
  case unsupported(String)
  /// What was given is outside of the limits that are named.
  case invalid(String)
  /// The bytes of the item are not a value of the type that is named.
  case undecodable(String)
  /// What is named is damaged.
  case corrupted(String)
  /// The store's content is older than what this machine remembers of it.
  case rolledBack(String)
  /// The store is another one than this machine knows in its place.
  case replaced(String)
  /// The store was written by a newer version.
  case newerFormat(String)
  /// A file of the store is not as private as it must be.
  case insecure(path: String, reason: String)
  /// A C library is missing; the text names it and the packages that bring it.
  case missingLibrary(String)
  /// The store cannot be reached, for the reason given.
  case unavailable(String)
  /// A lock was not free in time: the path is that of its file, and the holder the process that has
  /// it, where the kernel tells.
  case busy(path: String, holder: Int32?)
  /// A system call failed.
  case system(call: String, path: String, code: Int32)
}
