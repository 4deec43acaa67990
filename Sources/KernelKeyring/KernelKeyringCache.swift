import CLibrary
public import SecretStorage
import StorageInternals

/// An unlock cache in the kernel's keyring of this user.
///
/// ```swift
/// vault.unlockCache = .kernelKeyring(for: .seconds(900))
/// ```
///
/// The kernel keeps the key in its own memory, which is never swapped out, and removes it when the
/// time is over, counted from the unlock. Every program of the user can read it until then.
///
/// Where the kernel or a container refuses keys, every call throws
/// `SecretStoreError.unavailable`, and a vault works as without a cache.
public struct KernelKeyringCache: UnlockCache {
  private static let keySize = 32

  private let seconds: UInt32

  /// Creates a cache.
  ///
  /// - Parameter duration: The time for which a key is held, rounded up to whole seconds, at least
  ///   one and at most those of a year.
  public init(for duration: Duration) {
    let limited = max(.seconds(1), min(duration, .seconds(31_536_000)))
    seconds = UInt32((limited / .seconds(1)).rounded(.up))
  }

  private func name(_ vault: String) -> String { "locket:\(vault)" }

  /// Returns the key of a vault; nil if there is none, or if its time is over.
  ///
  /// - Throws: `SecretStoreError.unavailable` where the kernel refuses keys.
  public func key(forVault vault: String) throws(SecretStoreError) -> Secret? {
    try translated { () throws(KernelKeys.Failure) -> Secret? in
      guard let key = try KernelKeys.find(name(vault), in: KernelKeys.userKeyring) else {
        return nil
      }
      do throws(KernelKeys.Failure) {
        return try KernelKeys.read(key, count: Self.keySize)
      } catch {
        guard error.code == EACCES else { throw error }
        // A process whose session keyring does not contain the user's keyring does not possess it.
        try KernelKeys.link(KernelKeys.userKeyring, to: KernelKeys.processKeyring)
        return try KernelKeys.read(key, count: Self.keySize)
      }
    }
  }

  /// Holds the key of a vault, in place of an earlier one.
  ///
  /// - Throws: `SecretStoreError.unavailable` where the kernel refuses keys, or at the limit of a
  ///   user's keys.
  public func hold(_ key: Secret, forVault vault: String) throws(SecretStoreError) {
    try translated { () throws(KernelKeys.Failure) in
      // It has its time before other processes can find it.
      let number = try KernelKeys.add(name(vault), key, to: KernelKeys.processKeyring)
      do throws(KernelKeys.Failure) {
        try KernelKeys.setTimeout(seconds, of: number)
        try KernelKeys.link(number, to: KernelKeys.userKeyring)
      } catch {
        try KernelKeys.revoke(number)
        throw error
      }
      try KernelKeys.unlink(number, from: KernelKeys.processKeyring)
    }
  }

  /// Removes the key of a vault, also from processes that have just found it.
  ///
  /// - Throws: `SecretStoreError.unavailable` where the kernel refuses keys.
  public func removeKey(forVault vault: String) throws(SecretStoreError) {
    try translated { () throws(KernelKeys.Failure) -> Void in
      guard let key = try KernelKeys.find(name(vault), in: KernelKeys.userKeyring) else { return }
      do throws(KernelKeys.Failure) {
        try KernelKeys.revoke(key)
      } catch {
        guard error.code == EACCES else { throw error }
        try KernelKeys.link(KernelKeys.userKeyring, to: KernelKeys.processKeyring)
        try KernelKeys.revoke(key)
      }
      try KernelKeys.unlink(key, from: KernelKeys.userKeyring)
    }
  }

  private func translated<Result>(
    _ body: () throws(KernelKeys.Failure) -> Result
  ) throws(SecretStoreError) -> Result {
    do {
      return try body()
    } catch {
      throw .unavailable(
        """
        The kernel's keyring cannot be used: \(error.call) failed: \
        \(SystemError.message(for: error.code)) (errno \(error.code)). Containers often refuse these \
        calls; the vault works without its unlock cache.
        """)
    }
  }
}

extension UnlockCache where Self == KernelKeyringCache {
  /// The kernel's keyring of this user, for a time from each unlock.
  public static func kernelKeyring(for duration: Duration) -> KernelKeyringCache {
    KernelKeyringCache(for: duration)
  }
}
