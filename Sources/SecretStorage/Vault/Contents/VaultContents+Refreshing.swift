// Reading of the records that are new in the log.
extension VaultContents {
  private static let readLimit = 20

  var revision: StoreRevision { StoreRevision(session.changeCount) }

  /// Reads the new records; a log that is refused changes neither the keys nor the items in memory.
  mutating func refresh(from location: VaultLocation) throws(SecretStoreError) {
    // Another process may have accepted an untrusted log, which does not change the log.
    if trustError != nil { position = nil }
    if let position, try location.log.isCurrent(position) { return }
    defer { beginIdlePeriod() }
    let earlierKeys = keys
    var held: VaultIndex?
    var isValidated = false
    for _ in 0..<Self.readLimit where !isValidated {
      var continued: VaultContents?
      let changes = try location.log.changes(since: position) { record throws(SecretStoreError) in
        continued = try contents(continuingAt: record, location.device)
        return continued != nil
      }
      if !changes.isReset, changes.position == position { return }
      if changes.isReset { held = held ?? index }
      let isNewLog = changes.isReset || continued != nil
      if continued != nil {
        swap(&self, &continued!)
        // Otherwise the first change would copy the index.
        continued = nil
      }
      do {
        isValidated = try adopt(changes, ofNewLog: isNewLog, location)
      } catch {
        // The changes are only partially applied, so the log must be read again.
        let held = held ?? index
        keys = earlierKeys
        reset()
        index = held
        throw error
      }
      // Nothing of what was read may remain if the next attempt fails.
      if !isValidated { (keys, index, position) = (earlierKeys, held ?? index, nil) }
    }
    guard isValidated else {
      throw .unavailable("\(location.log.name) is replaced each time it is read. Try again.")
    }
    if trustError != nil {
      // Only the table is that of the refused log.
      let table = keys.table
      keys = earlierKeys
      keys.table = table
      index = held ?? index
    } else if isCutOff, let held, earlierKeys.ring.vaultID == keys.table?.vaultID {
      index.keep(held)
      keys.ring.keep(earlierKeys.ring)
    }
  }

  /// Applies and validates changes; returns false if the whole log must be read again.
  private mutating func adopt(
    _ changes: LogChanges, ofNewLog isNewLog: Bool, _ location: VaultLocation
  ) throws(SecretStoreError) -> Bool {
    session.changeCount += 1
    if changes.isReset { reset() }
    let damagedBefore = damage.places.count
    try apply(changes, location.device)
    if changes.position == .nowhere {
      guard try validateMissingLog(location) else { return false }
    } else if isNewLog {
      let tail = interruptedWrite == nil ? changes.tail : nil
      guard try validate(tail, location) else { return false }
    } else if damage.places.count > damagedBefore || changes.tail != nil || hasOutdatedTable
      || isCutOff
    {
      // Records read earlier may have been truncated meanwhile, which only the whole log shows.
      return false
    } else {
      // A later write replaced the remains, or completed them.
      interruptedWrite = nil
    }
    recordSeen()
    return true
  }

  /// Returns the contents at a record of a new log; nil if the whole new log must be read, because
  /// no authentic key table states that the records before it contain the items of the old log.
  private func contents(
    continuingAt record: LogRecord, _ device: DeviceState
  ) throws(SecretStoreError) -> VaultContents? {
    // Secrets that were left in the replaced log would keep it on the disk.
    guard isComplete, let user = keys.ring.user,
      let read = KeyTableRecord.ifTable(record.payload, cipher),
      let replaced = read.table.replaced, replaced.sequence == chain.head.sequence,
      replaced.digest == chain.head.digest, read.table.vaultID == keys.table?.vaultID,
      try read.isAuthentic(user: user), !index.items.contains(where: \.sealed.isStored)
    else { return nil }
    var continued = self
    continued.chain.move(to: read, record)
    if try nilIfCorrupted(continued.adopt(read, device)) == nil { return nil }
    // The user key proves that the log continues the replaced one.
    continued.hasExpected = true
    try continued.session.seen.load(read.table.vaultID, from: device)
    let head = continued.chain.head
    guard let expected = continued.expected?.head, expected.sequence >= read.logStart else {
      return continued
    }
    // The records before the last one are not read, so they cannot be compared.
    if expected.sequence < head.sequence { return nil }
    continued.isDiverged = expected.sequence == head.sequence && expected.digest != head.digest
    return continued
  }

  /// Whether the state of every item is available and certain.
  var isComplete: Bool {
    isAuthentic && interruptedWrite == nil && !isDiverged && keys.table != nil
      && keys.standing == .proven && !keys.isDeviceOutdated
  }

  /// Determines whether a missing log is an error; returns false if there is a log by now.
  ///
  /// A new vault may replace one that only this device could open, which did not protect its items
  /// from a program that can remove it. Replacing another would store secrets without its keys.
  private mutating func validateMissingLog(
    _ location: VaultLocation
  ) throws(SecretStoreError) -> Bool {
    let device = location.device
    let name = location.log.name
    recordedVaultID = try device.hasVaultRecords ? try device.vaultID(at: name) : nil
    if recordedVaultID == DeviceState.noVault { session.seen = SeenVault() }
    guard let vaultID = recordedVaultID ?? session.seen.vaultID, vaultID != DeviceState.noVault
    else { return true }
    let remembered = try device.remembered(of: vaultID)
    let ownTypes = session.seen.vaultID == vaultID ? session.seen.slotTypes : nil
    // A vault is recorded before it is created, and its creation may have failed.
    if remembered == nil, ownTypes == nil { return true }
    // The vault may have been created after the log was read.
    let more = try location.log.changes(since: position)
    if more.isReset || more.position != position { return false }
    // Unknown types may be any.
    let slotTypes = [ownTypes, remembered.map { $0.keys?.slotTypes ?? .max }].compactMap(\.self)
    let error = SecretStoreError.replaced(
      "\(name) is missing, but this machine has recorded a vault at this path")
    if slotTypes.allSatisfy({ $0 == KeyTable.deviceSlotType }) {
      missingVaultError = error
    } else {
      trustError = error
    }
    return true
  }
}
