/// A vault's log in memory; reading it from the beginning replaces all but `session` and open keys.
struct VaultContents: Sendable {
  let cipher: any SecretCipher
  var keys = VaultKeys()
  var session = VaultSession()

  /// The end of what was read of the log; nil if the log must be read from its beginning.
  var position: LogPosition?
  var chain = VaultChain()
  var index = VaultIndex()
  var damage = VaultDamage()
  /// The number of key tables in the log, including those that are not valid.
  var tableCount = 0
  /// The number of records whose attributes are sealed under a key that was never in memory.
  var sealedRecordCount = 0
  /// The vault that this machine has recorded at the log's path; nil also before that is read.
  var recordedVaultID: [UInt8]?
  /// The start of the log of a key table, if this machine or this object has seen a newer log.
  var outdatedStart: UInt64?
  /// The error of a missing vault that the next write replaces.
  var missingVaultError: SecretStoreError?
  /// The remainder of an unacknowledged write at the log's end, which the next write truncates.
  var interruptedWrite: LogChanges.Tail?
  /// Whether the log has a different record with the sequence number of the expected one.
  var isDiverged = false
  /// Whether the log has the expected record, and no damage before it.
  var hasExpected = false
  /// Whether the end of the log is missing, according to its key table.
  var isCutOff = false
  var trustError: SecretStoreError?

  mutating func reset() {
    (keys.table, keys.standing, keys.fingerprint) = (nil, .proven, nil)
    self = VaultContents(cipher: cipher, keys: keys, session: session)
  }

  /// The size of the log, as far as it was read, in bytes.
  var logSize: Int { position?.size ?? 0 }

  /// A copy without the items: while it existed, a write would copy their index.
  var withoutItems: VaultContents {
    var copy = self
    copy.index = VaultIndex()
    return copy
  }

  /// Whether the log may have items that no key in memory shows.
  var mayHaveMore: Bool { sealedRecordCount > 0 || keys.standing == .candidate }

  func checkComplete() throws(SecretStoreError) {
    if let trustError { throw trustError }
    if !keys.isUnlocked || mayHaveMore { throw keys.lockReason }
    try checkTrust()
  }

  func checkTrust() throws(SecretStoreError) {
    if let trustError { throw trustError }
    if damage.isEmpty { return }
    throw .corrupted(
      "The vault must be repaired with repair() first; damaged: \(damage.description)")
  }

  func checkCertain(_ id: SecretItem.ID) throws(SecretStoreError) {
    guard let place = damage[id] else { return }
    throw .corrupted(
      "The newest state of item \(id.uuid) may have been at \(place), which is damaged")
  }

  func checkNoneHidden() throws(SecretStoreError) {
    if mayHaveMore { throw keys.lockReason }
    if let place = damage.hiddenItemsPlace {
      throw .corrupted("The vault is damaged at \(place) and may have contained more items")
    }
  }

  /// Returns an item; nil if it does not exist; throws `conflict` if it has another revision.
  func item(
    _ id: SecretItem.ID, expecting revision: UInt64
  ) throws(SecretStoreError) -> VaultItem? {
    guard let item = index[id] else {
      if mayHaveMore { throw keys.lockReason }
      return nil
    }
    guard item.revision == revision else { throw .conflict }
    return item
  }

  /// Opens an item's payload for the app, after checking the required proofs, and keeps its key.
  mutating func open(
    _ item: VaultItem, reading isReading: Bool, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> Secret {
    // A locked vault throws before the user is asked for a proof.
    let key = try keys.recordKey(of: item)
    let flags = item.accessControl.flags
    if !flags.isEmpty { try AccessConstraints(flags).check(authorization, reading: isReading) }
    let payload = try open(item, with: key)
    session.idle?.recordUse()
    return payload
  }

  /// Opens an item's payload: its secret, or with access flags, an encoded ``ConstrainedSecret``.
  func payload(of item: VaultItem) throws(SecretStoreError) -> Secret {
    let key = try item.secret.recordKey(from: keys.key(of: item.secret), cipher)
    return try open(item, with: key.wipedByForking)
  }

  private func open(_ item: VaultItem, with key: Secret) throws(SecretStoreError) -> Secret {
    let sealer = try keys.sealer
    if let secret = try nilIfCorrupted(item.secret.open(of: item.id, with: key, by: sealer)) {
      return secret
    }
    throw .corrupted("The secret of item \(item.id.uuid) is not authentic")
  }
}

/// What this process knows of a vault besides the content of its log.
struct VaultSession: Sendable {
  var seen = SeenVault()
  var changeCount: UInt64 = 0
  var notifiedChangeCount: UInt64 = 0
  var lockCount: UInt64 = 0
  var idle: IdlePeriod?
  var compaction = BackgroundCompaction()
  var reported: [SecretStoreError] = []
}
