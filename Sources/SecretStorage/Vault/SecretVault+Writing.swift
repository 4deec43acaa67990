import CLibrary
import Concurrency
import StorageInternals

// Adding, updating and removing items, in batches that combine the writes of all waiting threads.
extension SecretVault {
  /// Adds an item, and returns it when it is on disk.
  ///
  /// - Throws: ``SecretStoreError/duplicate`` if an item with this identity exists,
  ///   ``SecretStoreError/locked(_:)``, ``SecretStoreError/unsupported(_:)`` for access flags that
  ///   no available authenticator can check, ``SecretStoreError/denied(_:)`` without a required
  ///   application password, ``SecretStoreError/invalid(_:)`` for invalid flags, a secret over
  ///   16 MiB or strings over 64 KiB, or the error of writing. On error, nothing changes.
  public func add(
    _ secret: Secret, identity: ItemIdentity, attributes: ItemAttributes,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem {
    try SecretStoreError.checkProcess()
    try ItemLimits.check(identity: identity, attributes: attributes, secretCount: secret.count)
    let payload = try payload(
      of: secret, identity, attributes.accessControl, authorizedBy: authorization)
    return try writeItem(.add(payload, identity: identity, attributes: attributes))
  }

  /// Changes an item, and returns it when it is on disk.
  ///
  /// In a locked vault, attributes other than the access control can be changed. Replacing a secret
  /// with access flags only requires its application password, if any. Changing only the access
  /// control requires the proofs for reading the secret.
  ///
  /// - Throws: ``SecretStoreError/conflict`` if the item was changed or removed since the expected
  ///   revision, ``SecretStoreError/denied(_:)`` or ``SecretStoreError/wrongApplicationPassword``
  ///   if the authorization does not suffice, or an error of ``add(_:identity:attributes:)``.
  public func update(
    _ id: SecretItem.ID, expecting revision: UInt64, attributes: ItemAttributes?, secret: Secret?,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem {
    if let secret { try ItemLimits.check(secretCount: secret.count) }
    let plain = VaultWrite.update(
      id, expecting: revision, attributes: attributes, payload: secret, isPlain: true)
    do throws(SecretStoreError) {
      return try writeItem(plain)
    } catch .conflict {
      // The conflict may mean that the item has access flags, which only the write can find.
    }
    let payload = try payload(
      updating: id, expecting: revision, to: secret, attributes?.accessControl,
      authorizedBy: authorization)
    return try writeItem(
      .update(id, expecting: revision, attributes: attributes, payload: payload))
  }

  /// Removes an item; succeeds if it is already removed.
  ///
  /// - Throws: ``SecretStoreError/conflict`` if the revision has changed, or the error of writing.
  public func remove(_ id: SecretItem.ID, expecting revision: UInt64) throws(SecretStoreError) {
    _ = try write(.remove(id, expecting: revision))
  }

  private func writeItem(_ change: VaultWrite) throws(SecretStoreError) -> SecretItem {
    // Only a removal results in no item.
    guard let item = try write(change) else {
      fatalError("Adding or changing an item of a vault returned no item.")
    }
    return item
  }

  /// Writes a change, in one batch with those of other threads, and waits until it is on disk.
  func write(_ change: VaultWrite) throws(SecretStoreError) -> SecretItem? {
    try SecretStoreError.checkProcess()
    let item = try writes.perform(change) { batch in commit(batch) }
    notifyObservers()
    compactIfWorthwhile()
    return item
  }

  private typealias Pending = WriteQueue.Pending
  private typealias Outcome = (Pending, Result<SecretItem?, SecretStoreError>)

  /// Commits a batch; if the disk is full, commits its removals separately with reserved space.
  private func commit(_ batch: [Pending]) {
    let hasOnlyRemovals = batch.allSatisfy { $0.write.isRemoval }
    do throws(SecretStoreError) {
      let location = try protectedLocation
      try usingReserve(hasOnlyRemovals) { () throws(SecretStoreError) in
        while try !commitFirst(of: batch, location) {}
      }
    } catch {
      let removals = batch.filter { $0.write.isRemoval }
      let retriesRemovals = error.isFullDisk && !hasOnlyRemovals && !removals.isEmpty
      for pending in batch where pending.outcome == nil {
        if !retriesRemovals || !pending.write.isRemoval { pending.outcome = .failure(error) }
      }
      if retriesRemovals { commit(removals) }
    }
  }

  /// Performs a write, and repeats it on a full disk after releasing reserved space, if allowed.
  func usingReserve(
    _ isAllowed: Bool = true, _ write: () throws(SecretStoreError) -> Void
  ) throws(SecretStoreError) {
    while true {
      do throws(SecretStoreError) {
        return try write()
      } catch {
        guard isAllowed, error.isFullDisk, try location.file.releaseReserve() else { throw error }
      }
    }
  }

  /// Commits the first changes of a batch that do not overlap; returns false if the call must be
  /// repeated, because another process has changed the vault.
  private func commitFirst(
    of batch: [Pending], _ location: VaultLocation, hasDeviceSecret: Bool = false
  ) throws(SecretStoreError) -> Bool {
    // Only an addition creates a vault. Without one, other changes find no item.
    let device = batch.contains { $0.write.isAddition } ? location.device : nil
    let filled = try withContents { contents throws(SecretStoreError) -> (VaultDraft, [Outcome])? in
      let isNew = contents.keys.table == nil && contents.damage.isEmpty
      if isNew, device != nil, !hasDeviceSecret { return nil }
      return try Self.fill(from: batch, &contents, device)
    }
    guard let (draft, outcomes) = filled else {
      // Creating the key may wait for another process, so the lock of `contents` is not held.
      _ = try location.device.makeSecret()
      return try commitFirst(of: batch, location, hasDeviceSecret: true)
    }
    // Without entries, no file is created for the key tables of a new vault.
    if !draft.entries.isEmpty {
      do {
        _ = try append(to: location) { () throws(SecretStoreError) in
          // Before a new vault is recorded, this checks that no other process has created one.
          if draft.base.first == nil, try withContents({ $0.position }) != draft.position {
            throw .conflict
          }
          return draft
        }
      } catch .conflict {
        return false
      }
    } else if outcomes.contains(where: { if case .success = $0.1 { true } else { false } }) {
      // Another process removed the items, and may have been killed before it flushed the removal.
      try synchronize()
    }
    for (pending, outcome) in outcomes { pending.outcome = outcome }
    return true
  }

  /// Returns when everything that was read is on disk, even if its writer was killed.
  package func synchronize() throws(SecretStoreError) {
    let location = try location
    if try withContents({ contents in contents.isOnDisk }) { return }
    try location.log.withWriterLock { append throws(SecretStoreError) in
      let position = try withContents { contents in contents.isOnDisk ? nil : contents.position }
      if let position { _ = try append([], position) }
    }
  }

  /// Appends a draft, which is made while no other writer is active; returns false if it is empty.
  func append(
    to location: VaultLocation, _ make: () throws(SecretStoreError) -> VaultDraft?
  ) throws(SecretStoreError) -> Bool {
    let written = try location.log.withWriterLock {
      append throws(SecretStoreError) -> (draft: VaultDraft, end: LogPosition)? in
      guard let draft = try make(), !draft.composer.records.isEmpty else { return nil }
      try anchor(draft, location)
      return (draft, try append(draft.composer.records, draft.position))
    }
    guard let written else { return false }
    acknowledge(written.draft, endingAt: written.end, location)
    return true
  }

  /// Returns a draft and outcomes of the changes before the first that overlaps an earlier one.
  private static func fill(
    from batch: [Pending], _ contents: inout VaultContents, _ device: DeviceState?
  ) throws(SecretStoreError) -> (VaultDraft, [Outcome]) {
    var draft = try VaultDraft(contents, device)
    var outcomes: [Outcome] = []
    var targets = Set<VaultWrite.Target>()
    for pending in batch {
      guard targets.insert(pending.write.target).inserted else { break }
      do throws(SecretStoreError) {
        outcomes.append((pending, .success(try pending.write.prepare(&draft, &contents))))
      } catch {
        outcomes.append((pending, .failure(error)))
      }
    }
    return (draft, outcomes)
  }

  func acknowledge(
    _ draft: VaultDraft, endingAt position: LogPosition, _ location: VaultLocation
  ) {
    contents.withLock { contents in
      // A reader of this process may already have read the draft from the log.
      if contents.position == draft.position { contents.adopt(draft, position) }
      contents.beginIdlePeriod()
      contents.session.idle?.recordUse()
    }
    remember(draft.composer.result, location)
  }
}

extension SecretStoreError {
  fileprivate var isFullDisk: Bool {
    switch self {
    case .system(_, _, let code), .uncertain(_, let code): [ENOSPC, EDQUOT].contains(code)
    default: false
    }
  }
}
