import Concurrency

// Deriving a key from a passphrase takes about half a second, and writing may wait for other
// processes. These methods wait on a thread of their own instead of the task's thread.

extension SecretVault {
  /// Unlocks the vault with a key for one of its slots, without blocking the task's thread.
  ///
  /// Cancelling the task ends the wait for a key derivation within a quarter of a second. The vault
  /// then remains locked. The derivation itself ends later, on another thread, without effect.
  ///
  /// - Throws: The errors of the synchronous `unlock(with:)`.
  public func unlock(with key: UnlockKey) async throws {
    try await runBlocking { try self.unlock(with: key) }
  }

  /// Replaces all slots with one for a passphrase, without blocking the task's thread.
  ///
  /// The parameters and the effects are those of the synchronous `setPassphrase(_:cost:)`.
  /// Cancelling the task ends the wait for a key derivation within a quarter of a second, and
  /// nothing changes; from then on, the write is completed.
  ///
  /// - Throws: The errors of the synchronous method.
  public func setPassphrase(_ passphrase: Secret, cost: PassphraseCost? = nil) async throws {
    try await runBlocking { try self.setPassphrase(passphrase, cost: cost) }
  }

  /// Replaces one passphrase with another, without blocking the task's thread.
  ///
  /// The parameters and the effects are those of the synchronous
  /// `changePassphrase(ofSlot:from:to:cost:)`. Cancelling the task ends the wait for a key
  /// derivation within a quarter of a second, and nothing changes; from then on, the write is
  /// completed.
  ///
  /// - Throws: The errors of the synchronous method.
  public func changePassphrase(
    ofSlot id: Slot.ID? = nil, from old: Secret, to new: Secret, cost: PassphraseCost? = nil
  ) async throws {
    try await runBlocking { try self.changePassphrase(ofSlot: id, from: old, to: new, cost: cost) }
  }

  /// Adds a key that opens the vault, without blocking the task's thread.
  ///
  /// The parameters and the effects are those of the synchronous `addSlot(_:named:cost:)`.
  /// Cancelling the task ends the wait for a key derivation within a quarter of a second, and
  /// nothing changes; from then on, the write is completed.
  ///
  /// - Returns: The new slot.
  /// - Throws: The errors of the synchronous method.
  @discardableResult
  public func addSlot(
    _ key: UnlockKey, named name: String, cost: PassphraseCost? = nil
  ) async throws -> Slot {
    try await runBlocking { try self.addSlot(key, named: name, cost: cost) }
  }
}
