// Replacing all keys of the vault.
extension SecretVault {
  /// Whether a key rotation of this or another process is unfinished; throws ``SecretStoreError``.
  public var isRotationPending: Bool {
    get throws { try currentTable()?.hasOldKeys ?? false }
  }

  /// Replaces the user key and all keys under it; does nothing if there is no vault.
  ///
  /// Afterwards, a leaked user key and the keys of removed slots no longer open the vault. The kept
  /// slots are those that a given key opens, this device's slot, and those of the systemd
  /// credentials that this process has. Every item is sealed again, in batches, while this and
  /// other processes can read and write. If the rotation ends early, the vault remains intact, the
  /// kept slots open it, and ``isRotationPending`` is true. See also <doc:RotatingKeys>.
  ///
  /// - Parameters:
  ///   - keys: The keys of the slots to keep, in addition to the device's slot and credentials.
  ///     Each passphrase takes about as long as two unlocks.
  ///   - removingOtherSlots: Whether to remove the slots that are not kept and, with the last
  ///     passphrase, the items that are ``Accessibility/whenPasscodeSetThisDeviceOnly``.
  ///   - report: A closure that is called at the start and after each batch. It may use the vault,
  ///     and can cancel the rotation.
  /// - Complexity: O(*n*), where *n* is the size of the vault.
  /// - Throws: The error of writing the vault, or an error below. After the former or
  ///   ``SecretStoreError/cancelled``, a rotation may be pending; otherwise, nothing has changed.
  ///   - ``SecretStoreError/locked(_:)``.
  ///   - ``SecretStoreError/wrongPassphrase``, ``SecretStoreError/wrongKey(_:)`` or
  ///     ``SecretStoreError/otherDevice(_:)`` if a given key opens none of the slots for its kind,
  ///     or if an item is sealed for another device.
  ///   - ``SecretStoreError/invalid(_:)`` if the vault has no slot for a given key, if a slot would
  ///     be lost without `removingOtherSlots`, or if no slot would remain.
  ///   - ``SecretStoreError/newerFormat(_:)`` if the vault has keys of a newer version.
  ///   - ``SecretStoreError/corrupted(_:)`` if the vault is damaged and must be repaired first.
  ///   - ``SecretStoreError/cancelled`` if the closure cancels, or if ``lock()`` is called or the
  ///     task is cancelled during a key derivation.
  public func rotateKeys(
    keeping keys: [UnlockKey] = [], removingOtherSlots: Bool = false,
    reporting report: (MaintenanceProgress) -> MaintenanceProgress.Decision = { _ in .proceed }
  ) throws {
    let device = try location.device
    guard try currentTable() != nil else { return }
    let check = cancellation(after: lockCount)
    try rewrite { contents throws(SecretStoreError) in
      try contents.renewKeys(
        keeping: keys, removingOtherSlots: removingOtherSlots, device, checking: check)
    }
    notifyObservers()
    reportDamagedCopies()
    try resumeRotation(reporting: report)
  }

  /// Completes an interrupted key rotation, if there is one.
  ///
  /// The closure, the complexity and the errors are those of
  /// ``rotateKeys(keeping:removingOtherSlots:reporting:)``. After an error, completed work is kept.
  public func resumeRotation(
    reporting report: (MaintenanceProgress) -> MaintenanceProgress.Decision = { _ in .proceed }
  ) throws {
    guard try isRotationPending else { return }
    var completed = 0
    while true {
      var pending = try read { contents throws(SecretStoreError) in
        guard contents.keys.isUnlocked else { throw contents.keys.lockReason }
        return contents.itemsUnderOldKeys.map(\.id)
      }[...]
      if pending.isEmpty { break }
      let total = completed + pending.count
      if completed == 0 { try MaintenanceProgress(completed: 0, total: total).report(to: report) }
      while !pending.isEmpty {
        pending = try resealBatch(of: pending)
        completed = total - pending.count
        try MaintenanceProgress(completed: completed, total: total).report(to: report)
      }
      // Another rotation may have started in the meantime.
    }
    // The new file omits the keys that are no longer in use.
    try rewriteConcurrently()
  }

  /// Seals a batch of items under the newest keys, and returns the IDs of the remaining ones.
  private func resealBatch(
    of pending: ArraySlice<SecretItem.ID>
  ) throws(SecretStoreError) -> ArraySlice<SecretItem.ID> {
    let location = try protectedLocation
    var rest = pending
    _ = try append(to: location) { () throws(SecretStoreError) in
      try withContents { contents throws(SecretStoreError) -> VaultDraft? in
        guard contents.keys.isUnlocked else { throw contents.keys.lockReason }
        // If the vault was removed in the meantime, this creates no new one.
        var draft = try VaultDraft(contents, nil)
        var renewed: [VaultItem] = []
        var bytes = 0
        for id in pending.prefix(batchSize) where bytes <= [VaultItem].blockBytes {
          rest = rest.dropFirst()
          // The item may have been changed or removed in the meantime.
          guard let table = draft.composer.keys.table, let item = contents.index[id],
            item.isUnderOldKey(of: table)
          else { continue }
          bytes += item.byteCount
          renewed.append(try contents.renewed(item))
        }
        for (accessibility, items) in renewed.itemBlocks(of: batchSize) {
          try draft.append(items.map(ItemEntry.put), as: accessibility)
        }
        return draft
      }
    }
    return rest
  }
}
