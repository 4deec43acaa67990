import CLibrary
import Concurrency
import StorageInternals

extension SecretVault {
  /// Adds an item, and returns it when it is on disk.
  ///
  /// - Throws: ``SecretStoreError/duplicate`` when an item with this identity exists,
  ///   ``SecretStoreError/locked`` when the vault is locked, ``SecretStoreError/unsupported(_:)``
  ///   for access flags that no available authenticator can check, ``SecretStoreError/denied(_:)``
  ///   when a required application password is missing, ``SecretStoreError/invalid(_:)`` for
  ///   meaningless flags, a secret over 16 MiB or texts over 64 KiB, or the error of writing the
  ///   vault. On error, nothing changes.
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
  /// locked, unless the access control changes. Access flags protect a secret from being read, not
  /// from being replaced: replacing it needs no proof except the right application password, if it
  /// has one. A new access control without a new secret needs the same proof as reading the secret.
  ///
  /// - Throws: ``SecretStoreError/conflict`` when the item has another revision by now or was
  ///   removed, ``SecretStoreError/denied(_:)`` or ``SecretStoreError/wrongApplicationPassword``
  ///   when the authorisation does not suffice, or the errors of ``add(_:identity:attributes:)``.
  ///   On error, nothing changes.
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

  /// Removes an item; succeeds if it is already removed.
  ///
  /// - Throws: ``SecretStoreError/conflict`` when the item has another revision by now, or the
  ///   error of writing the vault.
  public func remove(_ id: SecretItem.ID, expecting revision: UInt64) throws(SecretStoreError) {
    _ = try write(.remove(id, expecting: revision))
  }

  /// Writes a change in one batch with those of other threads, and waits until it is on disk.
  func write(_ change: VaultWrite) throws(SecretStoreError) -> SecretItem? {
    let item = try writes.perform(change) { batch in commit(batch) }
    notifyObservers()
    compactIfWasteful()
    return item
  }

  private typealias Pending = WriteQueue<VaultWrite, SecretItem?, SecretStoreError>.Pending

  private func commit(_ batch: [Pending]) {
    let removals = batch.filter(\.write.isRemoval)
    let isMixed = !removals.isEmpty && removals.count < batch.count
    do throws(SecretStoreError) {
      let parts = try protectedParts
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

  /// Runs a write that makes the vault safer, such as a removal, with the reserved space on a full
  /// disk.
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

  /// Appends the changes of a batch that fit together; false if another process was faster.
  private func append(_ batch: [Pending], _ parts: VaultLocation) throws(SecretStoreError) -> Bool {
    if contents.withLock({ $0.keys.table == nil }),
      try withContents({ $0.keys.table == nil && $0.damage.isEmpty })
    {
      // Outside the lock of `contents`, which readers need: this may wait for another process.
      _ = try parts.device.makeSecret()
    }
    let (draft, outcomes) = try withContents { contents throws(SecretStoreError) in
      var draft = try VaultDraft(contents, parts.device)
      let outcomes = Self.fill(&draft, from: batch, &contents)
      return (draft, outcomes)
    }
    // The initial records of a new vault alone do not justify a file.
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
    _ draft: VaultDraft, _ parts: VaultLocation
  ) throws(SecretStoreError) -> LogPosition {
    let position = try parts.log.append { () throws(SecretStoreError) in
      // A new vault is recorded while no other process can create one.
      if draft.base.first == nil, try withContents({ $0.position }) != draft.position {
        throw .conflict
      }
      try anchor(draft, parts)
      return (draft.records, draft.position)
    }
    guard let position else { fatalError("A vault was to be written and was not.") }
    return position
  }

  /// Adds changes to a draft up to the first that overlaps an earlier one.
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

  /// Updates the contents with a draft that is on disk now.
  func acknowledge(
    _ draft: VaultDraft, endingAt position: LogPosition, _ parts: VaultLocation
  ) {
    contents.withLock { contents in
      // A reader of this process may already have read the draft from the log.
      if contents.position == draft.position { contents.adopt(draft, position) }
      contents.beginIdlePeriod()
      contents.idle?.recordUse()
    }
    remember(draft.result, parts)
  }
}

extension SecretStoreError {
  /// Whether the disk, or the quota of this user, is full.
  fileprivate var isFullDisk: Bool {
    switch self {
    case .system(_, _, ENOSPC), .system(_, _, EDQUOT): true
    default: false
    }
  }
}
