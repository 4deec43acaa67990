extension SecretVault {
  /// Whether a key rotation was started and is not finished, here or in another process.
  ///
  /// It is true of a locked vault as well, and also while a rotation is running.
  ///
  /// - Throws: ``SecretStoreError`` when the vault cannot be read.
  public var isRotationPending: Bool {
    get throws {
      try read { contents throws(SecretStoreError) in contents.keys.table?.hasOldKeys ?? false }
    }
  }

  /// Replaces the user key and all keys under it, so that a leaked user key, or the key of a slot
  /// that is not kept, no longer opens the vault.
  ///
  /// The kept slots open the new user key as soon as the rotation starts: those that one of the
  /// given keys opens, this device's, and those of the systemd credentials that this process has.
  /// Then every item is sealed again, in batches; meanwhile this and other processes can read and
  /// write. Identities, attributes, dates and revisions of the items do not change. If there is no
  /// vault, this does nothing.
  ///
  /// The closure receives the progress at the start and after each batch, and decides whether the
  /// work continues. It may use the vault. A rotation that is cancelled, fails or is killed leaves
  /// an intact vault that the kept slots open, with ``isRotationPending`` true:
  /// ``resumeRotation(reporting:)`` completes it. Calling this again instead starts over with other
  /// new keys.
  ///
  /// Files that repairs replaced are not sealed again: ``SecretStores/onFailure`` reports them, and
  /// ``removeDamagedCopies()`` removes them.
  ///
  /// Another process or object that has the vault unlocked opens it again automatically with the
  /// device's slot or a credential. Otherwise it finds the vault locked.
  ///
  /// - Parameters:
  ///   - keys: Keys of kept slots, besides unattended ones; a passphrase costs about two unlocks.
  ///   - removingOtherSlots: Whether to remove the slots that are not kept. Removing the last
  ///     passphrase also removes the items that are
  ///     ``Accessibility/whenPasscodeSetThisDeviceOnly``.
  ///   - report: Receives the progress.
  /// - Complexity: Linear in the size of the vault.
  /// - Throws: ``SecretStoreError/locked`` when the vault is locked;
  ///   ``SecretStoreError/wrongPassphrase`` when a given key opens none of the slots of its kind;
  ///   ``SecretStoreError/invalid(_:)`` when the vault has no such slot, when a slot would be lost
  ///   without `removingOtherSlots`, or when none would be left;
  ///   ``SecretStoreError/otherDevice(_:)`` when an item is sealed for another device;
  ///   ``SecretStoreError/newerFormat(_:)`` when the vault has keys that only a newer version of
  ///   Locket knows; ``SecretStoreError/corrupted(_:)`` when it is damaged and must be repaired
  ///   first. After these errors, nothing was changed. ``SecretStoreError/cancelled`` when the
  ///   closure cancels, or when ``lock()`` is called or the task is cancelled while the key of a
  ///   passphrase is derived; or the error of writing the vault. All three may leave a rotation to
  ///   be resumed.
  public func rotateKeys(
    keeping keys: [UnlockKey] = [], removingOtherSlots: Bool = false,
    reporting report: (MaintenanceProgress) -> MaintenanceProgress.Decision = { _ in .proceed }
  ) throws {
    let device = try parts.device
    let exists = try read { contents throws(SecretStoreError) in contents.keys.table != nil }
    guard exists else { return }
    let check = cancellationByLocking
    try rewrite { contents throws(SecretStoreError) in
      try contents.renewKeys(
        keeping: keys, removingOtherSlots: removingOtherSlots, device, checking: check)
    }
    notifyObservers()
    reportDamagedCopies()
    try resumeRotation(reporting: report)
  }

  /// Finishes an interrupted key rotation; does nothing if there is none.
  ///
  /// The closure receives the progress as in ``rotateKeys(keeping:removingOtherSlots:reporting:)``.
  ///
  /// - Complexity: Linear in the size of the vault.
  /// - Throws: ``SecretStoreError/locked`` when the vault is locked,
  ///   ``SecretStoreError/otherDevice(_:)`` when items remain that are sealed for another device,
  ///   ``SecretStoreError/corrupted(_:)`` when the vault is damaged and must be repaired first,
  ///   ``SecretStoreError/cancelled`` when the closure cancels, or the error of writing the vault.
  ///   Completed work is kept.
  public func resumeRotation(
    reporting report: (MaintenanceProgress) -> MaintenanceProgress.Decision = { _ in .proceed }
  ) throws {
    guard try isRotationPending else { return }
    var completed = 0
    while true {
      var waiting = try read { contents throws(SecretStoreError) in
        guard contents.keys.isUnlocked else { throw contents.keys.lockReason }
        return contents.itemsUnderOldKeys.map(\.id)
      }[...]
      if waiting.isEmpty { break }
      let total = completed + waiting.count
      if completed == 0 { try MaintenanceProgress(completed: 0, total: total).report(to: report) }
      while !waiting.isEmpty {
        waiting = try renewSome(of: waiting)
        completed = total - waiting.count
        try MaintenanceProgress(completed: completed, total: total).report(to: report)
      }
      // Another rotation may have started meanwhile.
    }
    // The new file omits keys that nothing is sealed under any more.
    try rewrite()
  }

  /// Seals some items again in their current state, and returns the remaining ones.
  private func renewSome(
    of waiting: ArraySlice<SecretItem.ID>
  ) throws(SecretStoreError) -> ArraySlice<SecretItem.ID> {
    let parts = try protectedParts
    var rest = waiting
    var appended: VaultDraft?
    let position = try parts.log.append { () throws(SecretStoreError) in
      let draft = try withContents { contents throws(SecretStoreError) -> VaultDraft? in
        guard contents.keys.isUnlocked else { throw contents.keys.lockReason }
        guard contents.keys.table != nil else {
          // The vault was removed meanwhile.
          rest = []
          return nil
        }
        var draft = try VaultDraft(contents, parts.device)
        rest = try draft.renew(waiting, contents)
        return draft
      }
      guard let draft, !draft.records.isEmpty else { return nil }
      appended = draft
      try anchor(draft, parts)
      return (draft.records, draft.position)
    }
    if let appended, let position { acknowledge(appended, endingAt: position, parts) }
    return rest
  }
}

extension VaultDraft {
  /// Appends as many of the named items as fit into one record, or one for each attributes key,
  /// with their secrets under the newest keys, and returns the remaining ones.
  fileprivate mutating func renew(
    _ waiting: ArraySlice<SecretItem.ID>, _ contents: VaultContents
  ) throws(SecretStoreError) -> ArraySlice<SecretItem.ID> {
    guard let table = keys.table else { throw keys.lockReason }
    var rest = waiting
    var blocks: [KeyPurpose: [ItemEntry]] = [:]
    var bytes = 0
    for id in waiting.prefix([VaultItem].blockItems) {
      if bytes > [VaultItem].blockBytes { break }
      rest = rest.dropFirst()
      // The item may have been changed or removed meanwhile.
      guard let item = contents.index[id], item.isUnderOldKey(of: table) else { continue }
      bytes += item.byteCount
      blocks[item.attributesPurpose, default: []].append(.put(try contents.renewed(item)))
    }
    for accessibility in [Accessibility.whenUnlocked, .always] {
      try append(blocks[.attributes(of: accessibility)] ?? [], as: accessibility)
    }
    return rest
  }
}
