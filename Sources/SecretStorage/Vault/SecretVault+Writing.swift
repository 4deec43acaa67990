import StorageInternals

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

extension SecretVault {
  /// Adds an item, and returns it when it is on disk.
  ///
  /// - Throws: ``SecretStoreError/duplicate`` when an item with this identity exists,
  ///   ``SecretStoreError/locked`` when the vault is, ``SecretStoreError/unsupported(_:)`` for access
  ///   flags that nobody at hand can check, ``SecretStoreError/denied(_:)`` when an application
  ///   password is needed and there is none, ``SecretStoreError/invalid(_:)`` for flags without
  ///   meaning, a secret over 16 MiB or texts over 64 KiB, or what kept the vault from being written.
  ///   Nothing was changed then.
  public func add(
    _ secret: Secret, identity: ItemIdentity, attributes: ItemAttributes,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem {
    try ItemLimits.check(identity: identity, attributes: attributes, secretCount: secret.count)
    let payload = try payload(
      of: secret, identity, attributes.accessControl, authorizedBy: authorization)
    guard let item = try write(.add(payload, identity: identity, attributes: attributes)) else {
      fatalError("Adding an item to a vault gave none.")
    }
    return item
  }

  /// Changes an item, and returns it when it is on disk.
  ///
  /// Changing attributes alone does not need the key of the secret, so it works while the vault is
  /// locked, unless the access control changes. Access flags keep a secret from being read: nothing
  /// has to be proved to replace it, only an application password is needed, which must be right. A
  /// new access control without a new secret needs what reading the secret needs.
  ///
  /// - Throws: ``SecretStoreError/conflict`` when the item has another revision by now or is gone,
  ///   ``SecretStoreError/denied(_:)`` or ``SecretStoreError/wrongApplicationPassword`` when the
  ///   authorisation is not enough, or the errors of ``add(_:identity:attributes:)``. Nothing was
  ///   changed then.
  public func update(
    _ id: SecretItem.ID, expecting revision: UInt64, attributes: ItemAttributes?, secret: Secret?,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem {
    if let secret { try ItemLimits.check(secretCount: secret.count) }
    let payload = try payload(
      updating: id, expecting: revision, to: secret, attributes?.accessControl,
      authorizedBy: authorization)
    let change = VaultWrite.update(
      id, expecting: revision, attributes: attributes, payload: payload)
    guard let item = try write(change) else {
      fatalError("Changing an item of a vault gave none.")
    }
    return item
  }

  /// Removes an item; when it is already gone, that is a success.
  ///
  /// - Throws: ``SecretStoreError/conflict`` when the item has another revision by now, or what kept
  ///   the vault from being written.
  public func remove(_ id: SecretItem.ID, expecting revision: UInt64) throws(SecretStoreError) {
    _ = try write(.remove(id, expecting: revision))
  }

  /// Waits until a change is on disk, together with those of other threads that wait as well.
  func write(_ change: VaultWrite) throws(SecretStoreError) -> SecretItem? {
    let item = try writes.perform(change) { batch in commit(batch) }
    announce()
    compactIfWasteful()
    return item
  }

  private typealias Pending = WriteQueue<VaultWrite, SecretItem?>.Pending

  private func commit(_ batch: [Pending]) {
    let removals = batch.filter(\.write.isRemoval)
    let isMixed = !removals.isEmpty && removals.count < batch.count
    do throws(SecretStoreError) {
      let parts = try parts
      if isMixed || removals.isEmpty {
        while try !append(batch, parts) {}
      } else {
        try withReserve { () throws(SecretStoreError) in while try !append(batch, parts) {} }
      }
    } catch {
      let goesOn = isMixed && error.isFullDisk
      for pending in batch where pending.outcome == nil {
        if !goesOn || !pending.write.isRemoval { pending.finish(.failure(error)) }
      }
      if goesOn { commit(removals) }
    }
  }

  /// Writes what makes the vault safer, such as a removal: on a full disk, with the space that is
  /// kept for it.
  func withReserve<Result>(
    _ write: () throws(SecretStoreError) -> Result
  ) throws(SecretStoreError) -> Result {
    while true {
      do throws(SecretStoreError) {
        return try write()
      } catch {
        guard error.isFullDisk, try parts.log.makeRoom() else { throw error }
      }
    }
  }

  /// Appends what of a batch goes together; false when another process was faster.
  private func append(_ batch: [Pending], _ parts: VaultParts) throws(SecretStoreError) -> Bool {
    if contents.withLock({ $0.keys.table == nil }),
      try withContents({ $0.keys.table == nil && $0.damage.isEmpty })
    {
      // Made here, because it may wait for another process, and readers wait for the contents.
      _ = try parts.device.makeSecret()
    }
    let (draft, outcomes) = try withContents { contents throws(SecretStoreError) in
      var draft = try VaultDraft(contents, parts.device)
      let outcomes = Self.fill(&draft, from: batch, &contents)
      return (draft, outcomes)
    }
    // The first records of a new vault alone are not worth a file.
    if !draft.entries.isEmpty {
      do {
        acknowledge(draft, endingAt: try append(draft, parts), parts)
      } catch {
        if error == .conflict { return false }
        throw error
      }
    }
    for (pending, outcome) in outcomes { pending.finish(outcome) }
    return true
  }

  private func append(
    _ draft: VaultDraft, _ parts: VaultParts
  ) throws(SecretStoreError) -> LogPosition {
    if draft.base.first != nil {
      try anchor(draft, parts)
      return try parts.log.append(draft.records, after: draft.position)
    }
    // A new vault is noted while no other process can make one.
    let position = try parts.log.append { () throws(SecretStoreError) in
      let isCurrent = try withContents { contents throws(SecretStoreError) in
        contents.position == draft.position
      }
      if !isCurrent { throw .conflict }
      try anchor(draft, parts)
      return (draft.records, draft.position)
    }
    guard let position else { fatalError("A new vault was to be written and was not.") }
    return position
  }

  /// Puts changes into a draft until one touches what an earlier one does.
  private static func fill(
    _ draft: inout VaultDraft, from batch: [Pending], _ contents: inout VaultContents
  ) -> [(Pending, Result<SecretItem?, SecretStoreError>)] {
    var outcomes: [(Pending, Result<SecretItem?, SecretStoreError>)] = []
    var touched = Set<VaultWrite.Footprint>()
    for pending in batch {
      guard touched.insert(pending.write.footprint).inserted else { break }
      var attempt = draft
      do throws(SecretStoreError) {
        outcomes.append((pending, .success(try pending.write.prepare(&attempt, &contents))))
        draft = attempt
      } catch {
        outcomes.append((pending, .failure(error)))
      }
    }
    return outcomes
  }

  /// Takes over what is on disk now.
  func acknowledge(
    _ draft: VaultDraft, endingAt position: LogPosition, _ parts: VaultParts
  ) {
    contents.withLock { contents in
      // Unless a reader of this process has already read it from the log.
      if contents.position == draft.position { contents.adopt(draft, position) }
      contents.beginIdlePeriod()
      contents.idle?.noteUse()
    }
    guard let vaultID = draft.keys.table?.vaultID else { return }
    // The write itself is done; without this, only a later rollback to before it might pass.
    reportingFailure { () throws(SecretStoreError) in
      try parts.device.remember(draft.chain, of: vaultID)
    }
  }
}

extension SecretStoreError {
  /// Whether there was no space on a disk, or no more of it for this user.
  fileprivate var isFullDisk: Bool {
    switch self {
    case .system(_, _, ENOSPC), .system(_, _, EDQUOT): true
    default: false
    }
  }
}
