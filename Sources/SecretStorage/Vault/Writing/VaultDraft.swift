import FoundationEssentials

struct VaultDraft {
  let position: LogPosition
  /// The chain before the records are appended.
  let base: VaultChain
  /// The vault that this machine has recorded at the log's path.
  let recordedVaultID: [UInt8]?
  /// Whether this machine has recorded the log that the records are appended to.
  let isLogRemembered: Bool
  private(set) var composer: RecordComposer
  private(set) var entries: [ItemEntry] = []
  private var newestCreation: Int64

  /// Creates an empty draft; if there is no vault, with the keys of a new one for the given device.
  init(_ contents: VaultContents, _ device: DeviceState?) throws(SecretStoreError) {
    try contents.checkTrust()
    guard let position = contents.position else {
      fatalError("A vault must be read before it is written.")
    }
    self.position = position
    base = contents.chain
    recordedVaultID = contents.recordedVaultID
    isLogRemembered = contents.remembersThisLog
    newestCreation = contents.index.newestCreation
    var keys = contents.keys
    if let device, keys.table == nil {
      let secret = try device.makeSecret()
      let new = try VaultKeys(
        slot: "this device", .device(secret), device: secret, contents.cipher)
      (keys.table, keys.fingerprint, keys.ring) = (new.table, new.fingerprint, new.ring)
    }
    composer = RecordComposer(continuing: base, with: keys)
    if contents.keys.table == nil, keys.table != nil { try composer.begin(followedBy: 0) }
  }

  var nextRevision: UInt64 { composer.nextSequence }

  /// Returns the current time, or one later than the creation of every item.
  mutating func nextDate() -> Date {
    newestCreation = max(Date().microseconds, newestCreation + 1)
    return Date(microseconds: newestCreation)
  }

  /// Appends one record with an entry, or with several entries of new or unchanged items.
  mutating func append(
    _ added: [ItemEntry], as accessibility: Accessibility
  ) throws(SecretStoreError) {
    if added.isEmpty { return }
    try composer.add(added, as: accessibility, writtenFrom: base.head.sequence + 1)
    entries += added
  }

  mutating func replace(_ old: VaultItem, by new: VaultItem) throws(SecretStoreError) {
    try append([.put(new)], as: new.accessControl.accessibility)
    if old.attributesPurpose != new.attributesPurpose {
      // A reader with only the old attributes key must not consider the old state current.
      try append(
        [.remove(old.id, revision: old.revision)], as: old.accessControl.accessibility)
    }
  }
}
