import FoundationEssentials

/// Records that are to be appended to a vault, and what the vault will be then.
struct VaultDraft {
  let position: LogPosition
  let cipher: any SecretCipher
  private(set) var keys: VaultKeys
  private(set) var chain: VaultChain
  /// The chain before anything is appended.
  let base: VaultChain
  /// Whether the machine's state knows a record of the log.
  let isLogRemembered: Bool
  /// The vault that the machine knows at the log's place.
  private let notedVaultID: [UInt8]?
  private(set) var records: [LogRecord] = []
  private(set) var entries: [ItemEntry] = []
  /// The number of records that have one entry.
  private(set) var singleCount = 0
  private var newestCreation: Int64
  private var newIDs: Set<SecretItem.ID> = []

  /// - Throws: Why nothing may be written to the vault as it is.
  init(_ contents: VaultContents, _ device: DeviceState) throws(SecretStoreError) {
    if let distrust = contents.distrust { throw distrust }
    guard contents.damage.isEmpty else {
      throw .corrupted(
        """
        Nothing is written before the vault is repaired, by repair(); damaged: \
        \(contents.damage.description)
        """)
    }
    guard let position = contents.position else {
      fatalError("A vault was to be written before it was read.")
    }
    self.position = position
    cipher = contents.cipher
    keys = contents.keys
    chain = contents.chain
    base = contents.chain
    isLogRemembered = contents.remembersThisLog
    notedVaultID = contents.notedVaultID
    newestCreation = contents.index.newestCreation
    if keys.table == nil { try makeVault(device) }
  }

  private func log(_ table: KeyTable) -> VaultRecord {
    VaultRecord(vaultID: table.vaultID, cipher: cipher)
  }

  /// Whether the machine knows that the vault belongs to the log's place.
  var isPlaceKnown: Bool { notedVaultID == keys.table?.vaultID }

  /// The revision of what is written next.
  var nextRevision: UInt64 { chain.head.sequence + 1 }

  /// The present time, but later than any item that there is.
  mutating func now() -> Date {
    newestCreation = max(Date().microseconds, newestCreation + 1)
    return Date(microseconds: newestCreation)
  }

  /// A name for a new item, which no other has, in the vault or in this draft.
  mutating func newID(
    besides index: VaultIndex,
    from source: () throws(SecretStoreError) -> SecretItem.ID = SecretItem.ID.random
  ) throws(SecretStoreError) -> SecretItem.ID {
    let id = try SecretItem.ID.unused(from: source) { index[$0] != nil || newIDs.contains($0) }
    newIDs.insert(id)
    return id
  }

  /// Appends an entry under the key of its attributes.
  mutating func append(_ entry: ItemEntry, as accessibility: Accessibility) throws(SecretStoreError)
  {
    try append([entry], as: accessibility)
  }

  /// Appends several entries in one record, the loss of which tells of none of them: items that are
  /// not in the vault yet, or as the entries have them.
  mutating func append(
    _ several: [ItemEntry], as accessibility: Accessibility
  ) throws(SecretStoreError) {
    guard let first = several.first else { return }
    let (id, key) = try keys.attributesKey(for: accessibility)
    guard let table = keys.table else { throw keys.lockReason }
    let record = try log(table).items(
      several, after: chain.head, under: id, key, writtenFrom: base.head.sequence + 1)
    add(record, several.count == 1 ? .item(first.id) : .block)
    if several.count == 1 { singleCount += 1 }
    entries += several
  }

  /// Appends a table of keys, twice, so that no single damage takes the vault along.
  private mutating func append(_ table: KeyTable) throws(SecretStoreError) {
    guard let user = keys.ring.user else { throw keys.lockReason }
    keys.table = table
    let start = chain.start ?? nextRevision
    chain.start = start
    for _ in 0..<2 {
      add(try log(table).keys(table, after: chain.head, logStart: start, user: user), .keys)
    }
  }

  private mutating func add(_ record: LogRecord, _ subject: RecordSubject) {
    records.append(record)
    chain.extend(by: record, sequence: nextRevision, subject)
  }

  /// Makes the keys of a vault that does not exist yet, and a slot for this device.
  private mutating func makeVault(_ device: DeviceState) throws(SecretStoreError) {
    let secret = try device.makeSecret()
    let user = try Secret.random(32)
    keys.ring = KeyRing()
    keys.ring.device = secret
    keys.ring.user = user
    var table = KeyTable(vaultID: try .random(KeyTable.idCount), slots: [], keys: [])
    table.slots = [
      try KeySlot(
        id: 1, name: "this device", sealing: user, under: .device(secret), in: table.vaultID,
        cipher)
    ]
    let purposes = Accessibility.allCases.filter { $0 != .whenPasscodeSetThisDeviceOnly }
      .map(KeyPurpose.secrets)
    for purpose in purposes + [.attributes, .alwaysAttributes] {
      try keys.makeKey(purpose, in: &table, cipher)
    }
    keys.ring.vaultID = table.vaultID
    keys.ring.generation = table.generation
    try append(table)
  }
}
