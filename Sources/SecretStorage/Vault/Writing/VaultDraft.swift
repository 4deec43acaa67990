import FoundationEssentials

/// Records to append to a vault, and the resulting state of the vault.
struct VaultDraft {
  let position: LogPosition
  let cipher: any SecretCipher
  private(set) var keys: VaultKeys
  private var composer: RecordComposer
  /// The chain before the draft's records are appended.
  let base: VaultChain
  /// Whether the machine's state contains a record of the log.
  let isLogRemembered: Bool
  /// The identifier of the vault that the machine has recorded at the log's path.
  private let notedVaultID: [UInt8]?
  private(set) var entries: [ItemEntry] = []
  /// The number of records with a single entry.
  private(set) var singleCount = 0
  private var newestCreation: Int64
  private var newIDs: Set<SecretItem.ID> = []

  /// - Throws: The reason why the vault must not be written in its present state.
  init(_ contents: VaultContents, _ device: DeviceState) throws(SecretStoreError) {
    try contents.checkTrust()
    guard let position = contents.position else {
      fatalError("A vault must be read before it is written.")
    }
    self.position = position
    cipher = contents.cipher
    keys = contents.keys
    composer = RecordComposer(continuing: contents.chain)
    base = contents.chain
    isLogRemembered = contents.remembersThisLog
    notedVaultID = contents.notedVaultID
    newestCreation = contents.index.newestCreation
    if keys.table == nil { try makeVault(device) }
  }

  var records: [LogRecord] { composer.records }

  /// The chain up to the last appended record.
  var chain: VaultChain { composer.chain }

  /// The state that the machine remembers once the records are in place.
  ///
  /// A key table that no user key authenticates is not remembered.
  var result: RememberedVault? {
    var vault = RememberedVault(chain, keys)
    if keys.ring.user == nil { vault?.keys = nil }
    return vault
  }

  /// Whether the machine has recorded this vault at the log's path.
  var isPlaceKnown: Bool { notedVaultID == keys.table?.vaultID }

  /// The revision of the next record.
  var nextRevision: UInt64 { composer.nextSequence }

  /// Returns the current time, or a later one if it is not later than every item's creation date.
  mutating func now() -> Date {
    newestCreation = max(Date().microseconds, newestCreation + 1)
    return Date(microseconds: newestCreation)
  }

  /// Returns an identifier for a new item that is not used in the vault or in this draft.
  mutating func newID(
    besides index: VaultIndex,
    from source: () throws(SecretStoreError) -> SecretItem.ID = SecretItem.ID.random
  ) throws(SecretStoreError) -> SecretItem.ID {
    let id = try SecretItem.ID.unused(from: source) { index[$0] != nil || newIDs.contains($0) }
    newIDs.insert(id)
    return id
  }

  /// Appends an entry, or several of new or unchanged items, in one record, sealed under the
  /// attributes key of an accessibility.
  mutating func append(
    _ added: [ItemEntry], as accessibility: Accessibility
  ) throws(SecretStoreError) {
    if added.isEmpty { return }
    try composer.add(
      added, as: accessibility, under: keys, writtenFrom: base.head.sequence + 1,
      by: keys.sealer(cipher))
    if added.count == 1 { singleCount += 1 }
    entries += added
  }

  /// Appends the new state of an item.
  mutating func replace(_ old: VaultItem, by new: VaultItem) throws(SecretStoreError) {
    try append([.put(new)], as: new.accessControl.accessibility)
    if old.attributesPurpose != new.attributesPurpose {
      // A reader with only the old attributes key must not take the old state for the present one.
      try append(
        [.remove(old.id, revision: old.revision)], as: old.accessControl.accessibility)
    }
  }

  private mutating func append(_ table: KeyTable) throws(SecretStoreError) {
    keys.table = table
    keys.isOfVersion1 = false
    try keys.recordGeneration(cipher)
    try composer.add(
      table, logStart: chain.start, under: keys.ring, by: table.sealer(cipher))
  }

  /// Creates the keys of a new vault, and a slot for this device.
  private mutating func makeVault(_ device: DeviceState) throws(SecretStoreError) {
    let secret = try device.makeSecret()
    let new = try VaultKeys(slot: "this device", .device(secret), device: secret, cipher)
    guard let table = new.table else { return }
    keys.ring = new.ring
    try append(table)
  }
}
