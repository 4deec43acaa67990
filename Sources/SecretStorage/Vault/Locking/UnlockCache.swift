import Concurrency
import StorageInternals

/// A place outside of the process that holds the keys of unlocked vaults for a limited time.
///
/// One passphrase then unlocks a vault for all programs of the session that use the same cache.
/// Every program that can read the cache can open the vault.
public protocol UnlockCache: Sendable {
  /// Returns the key of a vault; nil if there is none, or if its time is over.
  ///
  /// - Parameter vault: The identifier of the vault, 32 hexadecimal digits.
  /// - Returns: The key of 32 bytes.
  /// - Throws: ``SecretStoreError`` if the cache cannot be used.
  func key(forVault vault: String) throws(SecretStoreError) -> Secret?

  /// Holds the key of a vault in place of an earlier one, for the time of the cache.
  func hold(_ key: Secret, forVault vault: String) throws(SecretStoreError)

  /// Removes the key of a vault, if there is one.
  func removeKey(forVault vault: String) throws(SecretStoreError)
}

extension SecretVault {
  /// The cache of this vault's key; nil by default.
  ///
  /// `unlock(with:)` puts the key into the cache. A vault object that was not locked by
  /// ``lock()`` in its own process takes the key from it, and checks that it is the vault's.
  /// ``lock()``, a change of the slots or the passphrase, and a key rotation remove the key. The
  /// cache never answers for an ``Authenticator``: an item that needs a proof still needs it.
  ///
  /// A cache that fails is like an empty one for every access; ``diagnose()`` tells why.
  public var unlockCache: (any UnlockCache)? {
    get { unlockCacheState.withLock { $0.cache } }
    set { unlockCacheState.withLock { $0.cache = newValue } }
  }

  /// Takes the key of a locked vault from the cache, which is called without a lock.
  func takeCachedKey(_ location: VaultLocation) throws(SecretStoreError) {
    guard let cache = unlockCache else { return }
    let vault = try contents.withLock { contents throws(SecretStoreError) -> String? in
      if contents.keys.table != nil, contents.keys.isUnlocked { return nil }
      if contents.keys.isLockedByApp { return nil }
      try contents.refresh(from: location)
      return contents.keys.isUnlocked ? nil : contents.keys.table?.hexadecimalID
    }
    guard let vault else { return }
    let key: Secret?
    do throws(SecretStoreError) {
      key = try cache.key(forVault: vault)?.wipedByForking
    } catch {
      return
    }
    guard let key else { return }
    contents.withLock { contents in
      if contents.keys.isUnlocked || contents.keys.isLockedByApp { return }
      // A key that was tried is not tried again.
      if contents.keys.cachedUser == key { return }
      contents.keys.cachedUser = key
      contents.reset()
    }
  }

  /// Puts the key of the unlocked vault into the cache.
  func cacheUserKey() {
    guard let cache = unlockCache else { return }
    do throws(SecretStoreError) {
      let found = try withContents { contents throws(SecretStoreError) -> (String, Secret)? in
        guard let table = contents.keys.table, let user = contents.keys.ring.user else {
          return nil
        }
        return (table.hexadecimalID, user)
      }
      if let (vault, user) = found { try cache.hold(user, forVault: vault) }
    } catch {
      // The vault is unlocked nevertheless; `diagnose()` reports the cache.
    }
  }

  /// Removes the key from the cache, and reports a failure, after which others could still use it.
  func revokeCachedKey() {
    guard let cache = unlockCache,
      let vault = contents.withLock({ contents in
        contents.keys.cachedUser = nil
        return contents.keys.table?.hexadecimalID
      })
    else { return }
    do throws(SecretStoreError) {
      try cache.removeKey(forVault: vault)
    } catch {
      report(SecretStorageFailure(.maintenance, error))
    }
  }

  func diagnoseUnlockCache(into diagnosis: inout Diagnosis) {
    guard let cache = unlockCache else { return }
    do throws(SecretStoreError) {
      let vault = try currentTable()?.hexadecimalID
      let isHeld = try vault.map { vault throws(SecretStoreError) in
        try cache.key(forVault: vault) != nil
      }
      diagnosis.record(
        "Unlock cache", "\(type(of: cache)), which holds \(isHeld == true ? "the" : "no") key")
    } catch {
      diagnosis.problem("Unlock cache", error)
    }
  }
}

/// The cache of a vault.
struct UnlockCacheState: Sendable {
  var cache: (any UnlockCache)?
}

extension KeyTable {
  fileprivate var hexadecimalID: String {
    vaultID.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }
}
