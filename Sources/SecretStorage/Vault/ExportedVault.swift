/// The records of an export: a vault of its own, which a passphrase opens and no device.
struct ExportedVault {
  private(set) var records: [LogRecord] = []
  private(set) var report = ExportReport()

  private let log: VaultRecord
  private var keys = VaultKeys()
  private var chain = VaultChain()

  /// Seals the items of a vault for what opens the only slot.
  ///
  /// The closure is told how many items of how many are done.
  init(
    _ contents: VaultContents, under sealing: SlotSealing,
    progress: (Int, Int) throws(SecretStoreError) -> Void
  ) throws(SecretStoreError) {
    log = VaultRecord(vaultID: try .random(KeyTable.idCount), cipher: contents.cipher)
    let sorted = contents.index.items.sorted { $0.created < $1.created }
    for entry in sorted {
      if entry.isPortable {
        report.exported.append(entry.item)
      } else {
        report.leftOut.append(
          ExportReport.LeftOut(item: entry.item, reason: "It is bound to this device."))
      }
    }
    let portable = sorted.filter(\.isPortable)
    let blocks = [KeyPurpose.attributes, .alwaysAttributes].flatMap { purpose in
      portable.filter { $0.attributesPurpose == purpose }.blocks
    }
    try progress(0, portable.count)
    try makeKeys(under: sealing, end: UInt64(Self.tableCount + blocks.count))
    var completed = 0
    for block in blocks {
      try append(block, of: contents)
      completed += block.count
      try progress(completed, portable.count)
    }
  }

  /// The table of keys stands in the file so often, so that no single damage takes the keys along.
  private static let tableCount = 2

  private mutating func makeKeys(
    under sealing: SlotSealing, end: UInt64
  ) throws(SecretStoreError) {
    let user = try Secret.random(32)
    keys.ring.vaultID = log.vaultID
    keys.ring.user = user
    var table = KeyTable(vaultID: log.vaultID, slots: [], keys: [])
    table.exportEnd = end
    table.slots = [
      try KeySlot(
        id: 1, name: "passphrase", sealing: user, under: sealing, in: log.vaultID, log.cipher)
    ]
    let purposes = Accessibility.allCases.map(KeyPurpose.secrets).filter(\.isPortable)
    for purpose in purposes + [.attributes, .alwaysAttributes] {
      try keys.makeKey(purpose, in: &table, log.cipher)
    }
    keys.table = table
    for _ in 0..<Self.tableCount {
      add(try log.keys(table, after: chain.head, logStart: 1, user: user), .keys)
    }
  }

  private mutating func append(
    _ block: ArraySlice<VaultItem>, of contents: VaultContents
  ) throws(SecretStoreError) {
    guard let first = block.first else { return }
    let revision = chain.head.sequence + 1
    var entries: [ItemEntry] = []
    for entry in block {
      let (id, key) = try keys.secretKey(for: entry.accessControl.accessibility)
      let sealed = try entry.sealing(
        contents.payload(of: entry), as: entry.id, revision: revision, under: id, key,
        in: log.vaultID, log.cipher)
      entries.append(.put(entry.copy(as: entry.id, revision: revision, with: sealed)))
    }
    let (id, key) = try keys.attributesKey(for: first.accessControl.accessibility)
    add(
      try log.items(entries, after: chain.head, under: id, key),
      block.count == 1 ? .item(first.id) : .block)
  }

  private mutating func add(_ record: LogRecord, _ subject: RecordSubject) {
    records.append(record)
    chain.extend(by: record, sequence: chain.head.sequence + 1, subject)
  }
}

extension VaultItem {
  /// Whether the item may leave the device.
  var isPortable: Bool { KeyPurpose.secrets(accessControl.accessibility).isPortable }
}
