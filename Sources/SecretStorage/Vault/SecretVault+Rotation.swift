extension SecretVault {
  /// Whether a rotation of the keys was begun and is not finished, here or by another process.
  ///
  /// It is true of a locked vault as well, and also while a rotation is at work.
  ///
  /// - Throws: ``SecretStoreError`` when the vault cannot be read.
  public var isRotationPending: Bool {
    get throws(SecretStoreError) {
      try read { contents throws(SecretStoreError) in contents.keys.table?.hasOldKeys ?? false }
    }
  }

  /// Gives the vault a new user key and new keys for all that it seals, so that who got hold of the
  /// old ones, and of what opened the vault until now, opens nothing of it any more.
  ///
  /// The slots that are kept open the new user key from the moment on that this begins: those that
  /// one of the given keys opens, this device's, and those of the systemd credentials that this
  /// process has. Then every item is sealed anew, some at a time; meanwhile this and other
  /// processes read and write as ever. Identities, attributes, dates and revisions of the items
  /// stay as they are. A vault that does not exist stays so.
  ///
  /// The closure is told of the progress first and after some items each, and decides whether the
  /// work goes on. It may use the vault. What is cancelled, fails or is killed before its end
  /// leaves a vault that is whole, that the kept slots open, and of which ``isRotationPending`` is
  /// true:
  /// ``resumeRotation(reporting:)`` does the rest. Calling this again instead begins with other new keys.
  ///
  /// Another process, or another object, that has the vault unlocked opens it again by itself when
  /// it has the device's slot or a credential. Otherwise it finds the vault locked, and has to
  /// unlock it.
  ///
  /// - Parameters:
  ///   - keys: What opens the slots that stay, beside those that need nobody; a passphrase costs about two
  ///     unlockings.
  ///   - removingOtherSlots: Whether the slots go that are not kept. With the last passphrase, the items
  ///     go that are ``Accessibility/whenPasscodeSetThisDeviceOnly``.
  ///   - report: Is told of the progress.
  /// - Complexity: Linear in the size of the vault.
  /// - Throws: ``SecretStoreError/locked`` when the vault is; ``SecretStoreError/wrongPassphrase`` when a
  ///   given key opens none of the slots of its kind; ``SecretStoreError/invalid(_:)`` when the vault has
  ///   no such slot, when slots would be lost that are not to go, or when none would be left;
  ///   ``SecretStoreError/otherDevice(_:)`` when an item is sealed for another device;
  ///   ``SecretStoreError/newerFormat(_:)`` when the vault has keys that only a newer version of Locket
  ///   knows; ``SecretStoreError/corrupted(_:)`` when it is damaged and to be repaired first.
  ///   Nothing was changed then. ``SecretStoreError/cancelled`` when the closure said so, or what kept the
  ///   vault from being written, either of which may leave a rotation to be resumed.
  public func rotateKeys(
    keeping keys: [UnlockKey] = [], removingOtherSlots: Bool = false,
    reporting report: (UpkeepProgress) -> UpkeepProgress.Decision = { _ in .proceed }
  ) throws(SecretStoreError) {
    let device = try parts.device
    let exists = try read { contents throws(SecretStoreError) in contents.keys.table != nil }
    guard exists else { return }
    try rewrite { contents throws(SecretStoreError) in
      try contents.renewKeys(
        keeping: keys, removingOtherSlots: removingOtherSlots, device)
    }
    announce()
    try resumeRotation(reporting: report)
  }

  /// Finishes a rotation of the keys that was interrupted; where there is none, does nothing.
  ///
  /// The closure is told of the progress as it is by
  /// ``rotateKeys(keeping:removingOtherSlots:reporting:)``.
  ///
  /// - Complexity: Linear in the size of the vault.
  /// - Throws: ``SecretStoreError/locked`` when the vault is, ``SecretStoreError/otherDevice(_:)`` when
  ///   items remain that are sealed for another device, ``SecretStoreError/corrupted(_:)`` when the vault is
  ///   damaged and to be repaired first, ``SecretStoreError/cancelled`` when the closure said so, or what
  ///   kept the vault from being written. What is done until then stays done.
  public func resumeRotation(
    reporting report: (UpkeepProgress) -> UpkeepProgress.Decision = { _ in .proceed }
  ) throws(SecretStoreError) {
    guard try isRotationPending else { return }
    var completed = 0
    while true {
      var waiting = try read { contents throws(SecretStoreError) in
        guard contents.keys.isUnlocked else { throw contents.keys.lockReason }
        return contents.itemsUnderOldKeys.map(\.id)
      }[...]
      if waiting.isEmpty { break }
      let total = completed + waiting.count
      if completed == 0 { try UpkeepProgress(completed: 0, total: total).report(to: report) }
      while !waiting.isEmpty {
        waiting = try renewSome(of: waiting)
        completed = total - waiting.count
        try UpkeepProgress(completed: completed, total: total).report(to: report)
      }
      // Who began yet another rotation meanwhile has left more to do.
    }
    // What nothing is sealed under any more is not in the new file.
    try rewrite()
  }

  /// Seals some items anew, as they are by now, and returns those that are left.
  private func renewSome(
    of waiting: ArraySlice<SecretItem.ID>
  ) throws(SecretStoreError) -> ArraySlice<SecretItem.ID> {
    let parts = try parts
    var rest = waiting
    var appended: VaultDraft?
    let position = try parts.log.append { () throws(SecretStoreError) in
      let draft = try withContents { contents throws(SecretStoreError) -> VaultDraft? in
        guard contents.keys.isUnlocked else { throw contents.keys.lockReason }
        guard contents.keys.table != nil else {
          // Somebody removed the whole vault.
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
  /// Appends as many of the named items as go into one record, or one for each key of attributes,
  /// their secrets under the newest keys, and returns those that are left.
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
      // Somebody may have changed or removed it.
      guard let entry = contents.index[id], entry.isUnderOldKey(of: table) else { continue }
      bytes += entry.byteCount
      blocks[entry.attributesPurpose, default: []].append(.put(try contents.renewed(entry)))
    }
    for accessibility in [Accessibility.whenUnlocked, .always] {
      try append(blocks[.attributes(of: accessibility)] ?? [], as: accessibility)
    }
    return rest
  }
}
