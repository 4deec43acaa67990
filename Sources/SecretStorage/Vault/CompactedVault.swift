/// The records of a vault without what was overwritten or removed.
struct CompactedVault {
  let position: LogPosition
  private(set) var records: [LogRecord] = []

  /// Nil for a vault that does not exist.
  init?(
    _ original: VaultContents, isRepair: Bool,
    reporting report: (UpkeepProgress) -> UpkeepProgress.Decision
  ) throws(SecretStoreError) {
    var contents = original
    if let distrust = contents.distrust { throw distrust }
    guard let position = contents.position, var table = contents.keys.table else { return nil }
    if contents.sealedRecords > 0 { throw contents.keys.lockReason }
    if !isRepair, !contents.damage.isEmpty {
      throw .corrupted(
        """
        A damaged vault is not compacted but repaired, by repair(); damaged: \
        \(contents.damage.description)
        """)
    }
    guard let user = contents.keys.ring.user else { throw contents.keys.lockReason }
    self.position = position
    var chain = contents.chain
    // The numbers of records that were lost at the end are known to have been others.
    chain.skip(to: contents.remembered)
    let log = VaultRecord(vaultID: table.vaultID, cipher: contents.cipher)

    func extended(_ record: LogRecord, _ subject: RecordSubject) -> LogRecord {
      chain.extend(by: record, sequence: chain.head.sequence + 1, subject)
      return record
    }
    var sorted: [VaultItem] = []
    for entry in contents.index.items {
      let isLost = isRepair ? try contents.isBeyondRepair(entry) : false
      if !isLost { sorted.append(entry) }
    }
    sorted.sort { $0.created < $1.created }
    table.removeKeys(unusedBy: sorted)
    let start = chain.head.sequence + 1
    for _ in 0..<2 {
      let record = try log.keys(table, after: chain.head, logStart: start, user: user)
      records.append(extended(record, .keys))
    }
    var completed = 0
    for accessibility in [Accessibility.whenUnlocked, .always] {
      let (id, key) = try contents.keys.attributesKey(for: accessibility)
      let purpose = KeyPurpose.attributes(of: accessibility)
      for block in sorted.filter({ $0.attributesPurpose == purpose }).blocks {
        let record = try log.items(block.map(ItemEntry.put), after: chain.head, under: id, key)
        let only = block.count == 1 ? block.first : nil
        records.append(extended(record, only.map { .item($0.id) } ?? .block))
        completed += block.count
        try UpkeepProgress(completed: completed, total: sorted.count).report(to: report)
      }
    }
  }
}

extension KeyTable {
  /// Leaves out the keys that neither these items need nor new ones.
  fileprivate mutating func removeKeys(unusedBy items: [VaultItem]) {
    let used = Set(items.map(\.secret.key))
    let newest = Set(keys.map(\.purpose)).compactMap { key(for: $0)?.id }
    keys.removeAll { !used.contains($0.id) && !newest.contains($0.id) }
  }
}

extension VaultContents {
  /// Whether the key of an item's secret is here, and the secret is not what it sealed.
  fileprivate mutating func isBeyondRepair(_ entry: VaultItem) throws(SecretStoreError) -> Bool {
    do {
      _ = try open(entry)
      return false
    } catch {
      switch error {
      case .corrupted: return true
      case .locked, .otherDevice: return false
      default: throw error
      }
    }
  }
}

extension VaultItem {
  var attributesPurpose: KeyPurpose {
    .attributes(of: accessControl.accessibility)
  }
}
