import FoundationEssentials

/// Records to append to a vault.
struct VaultDraft {
  let position: LogPosition
  /// The contents before the records are appended, without the items.
  let base: VaultContents
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
    base = contents.withoutItems
    newestCreation = contents.index.newestCreation
    var keys = contents.keys
    if let device, keys.table == nil {
      let secret = try device.makeSecret()
      let new = try VaultKeys(
        slot: "this device", .device(secret), device: secret, contents.cipher)
      (keys.table, keys.fingerprint, keys.ring) = (new.table, new.fingerprint, new.ring)
    }
    composer = RecordComposer(continuing: base.chain, with: keys)
    if contents.keys.table == nil, keys.table != nil { try composer.begin(followedBy: 0) }
  }

  var keys: VaultKeys { composer.keys }

  var records: [LogRecord] { composer.records }

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
    try composer.add(added, as: accessibility, writtenFrom: base.chain.head.sequence + 1)
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
