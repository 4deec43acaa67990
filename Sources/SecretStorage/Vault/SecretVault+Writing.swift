import CLibrary
import Concurrency
import StorageInternals

// Adding, updating and removing items, in batches of all waiting threads.
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
  ///   if the authorization does not suffice, or as ``add(_:identity:attributes:)``.
  public func update(
    _ id: SecretItem.ID, expecting revision: UInt64, attributes: ItemAttributes?, secret: Secret?,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem {
    if let secret { try ItemLimits.check(secretCount: secret.count) }
    let plain = VaultWrite.update(
      id, expecting: revision, attributes: attributes, payload: secret, isPlain: true)
    do throws(SecretStoreError) {
      return try writeItem(plain)
    } catch {
      // The write, which alone finds the item, may have found access flags.
      guard error == .conflict else { throw error }
    }
    let payload = try payload(
      updating: id, expecting: revision, to: secret, attributes?.accessControl,
      authorizedBy: authorization)
    return try writeItem(
      .update(id, expecting: revision, attributes: attributes, payload: payload))
  }

  /// Removes an item; succeeds if it is already removed.
  ///
  /// - Throws: ``SecretStoreError/conflict`` if the item was changed since the expected revision,
  ///   or the error of writing the vault.
  public func remove(_ id: SecretItem.ID, expecting revision: UInt64) throws(SecretStoreError) {
    _ = try write(.remove(id, expecting: revision))
  }

  private func writeItem(_ change: VaultWrite) throws(SecretStoreError) -> SecretItem {
    // Only `VaultWrite.remove` has no item, so another change without one is a mistake here.
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

  private typealias Pending = WriteQueue<VaultWrite, SecretItem?, SecretStoreError>.Pending
  private typealias Outcome = (Pending, Result<SecretItem?, SecretStoreError>)

  private func commit(_ batch: [Pending]) {
    let removals = batch.filter(\.write.isRemoval)
    let hasOnlyRemovals = removals.count == batch.count
    do throws(SecretStoreError) {
      let location = try protectedLocation
      try usingReserve(hasOnlyRemovals) { () throws(SecretStoreError) in
        while try !commitFirst(of: batch, location) {}
      }
    } catch {
      let retriesRemovals = error.isFullDisk && !hasOnlyRemovals && !removals.isEmpty
      for pending in batch where pending.outcome == nil {
        if !retriesRemovals || !pending.write.isRemoval { pending.finish(.failure(error)) }
      }
      if retriesRemovals { commit(removals) }
    }
  }

  /// Runs a write, which may use the reserved disk space if it is for example a removal.
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

  /// Commits the first changes of a batch that do not overlap; returns false to be called again,
  /// because another process has changed the vault.
  private func commitFirst(
    of batch: [Pending], _ location: VaultLocation
  ) throws(SecretStoreError) -> Bool {
    // Only an addition creates a vault. Without one, other changes find no item.
    let device = batch.contains(where: \.write.isAddition) ? location.device : nil
    if let device, try withContents({ $0.keys.table == nil && $0.damage.isEmpty }) {
      // This may wait for another process, so the lock of `contents` is not held.
      _ = try device.makeSecret()
    }
    let (draft, outcomes) = try withContents { contents throws(SecretStoreError) in
      try Self.fill(from: batch, &contents, device)
    }
    // The initial records of a new vault alone do not justify a file.
    if !draft.entries.isEmpty {
      do {
        _ = try append(to: location) { () throws(SecretStoreError) in
          // A new vault is recorded under the log's lock, so that no other process creates one.
          if draft.base.chain.first == nil, try withContents({ $0.position }) != draft.position {
            throw .conflict
          }
          return draft
        }
      } catch {
        if error == .conflict { return false }
        throw error
      }
    } else if outcomes.contains(where: { if case .success = $0.1 { true } else { false } }) {
      // Another process removed the items, and may have been killed before it flushed that.
      try synchronize()
    }
    for (pending, outcome) in outcomes { pending.finish(outcome) }
    return true
  }

  /// Returns when everything that was read is on disk, also if its writer was killed.
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
      guard let draft = try make(), !draft.records.isEmpty else { return nil }
      try anchor(draft, location)
      return (draft, try append(draft.records, draft.position))
    }
    guard let written else { return false }
    acknowledge(written.draft, endingAt: written.end, location)
    return true
  }

  /// Returns a draft of the changes up to the first that overlaps an earlier one.
  private static func fill(
    from batch: [Pending], _ contents: inout VaultContents, _ device: DeviceState?
  ) throws(SecretStoreError) -> (VaultDraft, [Outcome]) {
    var draft = try VaultDraft(contents, device)
    var outcomes: [Outcome] = []
    var targets = Set<VaultWrite.Target>()
    for pending in batch {
      guard targets.insert(pending.write.target).inserted else { break }
      var attempt = draft
      do throws(SecretStoreError) {
        outcomes.append((pending, .success(try pending.write.prepare(&attempt, &contents))))
        draft = attempt
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
