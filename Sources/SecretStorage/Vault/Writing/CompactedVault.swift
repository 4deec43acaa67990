/// The records of a compacted vault, without overwritten and removed items.
struct CompactedVault {
  private var keys: VaultKeys
  /// The items, each block of which forms one record.
  private let blocks: [(accessibility: Accessibility, items: ArraySlice<VaultItem>)]
  private var composer: RecordComposer

  /// Creates the first records, which contain the key table for the given items.
  ///
  /// The vault ends with the blocks of the items, or later with a table by ``end(replacing:)``.
  /// Other writers may use the sequence numbers up to `reserved` until the new file is installed.
  init(
    of items: [VaultItem], inBlocksOf count: Int, endsWithBlocks: Bool, keys: VaultKeys,
    after chain: VaultChain, reserved: UInt64?, _ cipher: any SecretCipher
  ) throws(SecretStoreError) {
    guard var table = keys.table, keys.isUnlocked else { throw keys.lockReason }
    var chain = chain
    chain.skip(to: reserved)
    chain.skip(to: table.end)
    table.removeKeys(unusedBy: items)
    blocks = items.sorted { $0.created < $1.created }.records(of: count)
    var keys = keys
    try keys.replaceTable(with: table, cipher)
    composer = RecordComposer(continuing: chain, cipher)
    try composer.begin(with: keys, followedBy: endsWithBlocks ? blocks.count : nil)
    self.keys = keys
  }

  /// Adds the blocks, and passes their records to a closure.
  mutating func addBlocks(
    reporting report: (MaintenanceProgress) -> MaintenanceProgress.Decision,
    writing write: (LogRecord) throws(SecretStoreError) -> Void
  ) throws(SecretStoreError) {
    let total = blocks.reduce(0) { $0 + $1.items.count }
    var completed = 0
    for (accessibility, block) in blocks {
      try add(block.map(ItemEntry.put), as: accessibility)
      for record in takeRecords() { try write(record) }
      completed += block.count
      try MaintenanceProgress(completed: completed, total: total).report(to: report)
    }
  }

  /// Adds a record.
  mutating func add(
    _ entries: [ItemEntry], as accessibility: Accessibility
  ) throws(SecretStoreError) {
    try composer.add(entries, as: accessibility, under: keys)
  }

  /// Adds a key table stating that the records contain the same items as a log with this end.
  mutating func end(replacing head: ChainHead) throws(SecretStoreError) {
    try composer.end(with: keys, replacing: head)
  }

  /// Removes and returns the records that have not been written yet.
  mutating func takeRecords() -> [LogRecord] { composer.takeRecords() }

  /// The state that this machine records once the new file is installed.
  var result: RememberedVault? { RememberedVault(composer.chain, keys) }
}

extension KeyTable {
  /// Removes the keys that neither these items nor new items require.
  fileprivate mutating func removeKeys(unusedBy items: [VaultItem]) {
    let used = Set(items.map(\.secret.key))
    let newest = Set(keys.map(\.purpose)).compactMap { key(for: $0)?.id }
    keys.removeAll {
      !used.contains($0.id) && !newest.contains($0.id) && $0.purpose != .earlierTables
    }
  }
}

extension VaultContents {
  /// Returns the items that a new file must contain.
  ///
  /// - Throws: The reason why the vault must not be replaced in its present state.
  mutating func itemsToRewrite(isRepair: Bool) throws(SecretStoreError) -> [VaultItem] {
    if let trustError { throw trustError }
    if mayHaveMore { throw keys.lockReason }
    if !isRepair {
      try checkTrust()
      return Array(index.items)
    }
    var items: [VaultItem] = []
    for item in index.items where try !isBeyondRepair(item) {
      // The key of an item from memory may be missing in a log that is cut off.
      let hasKey = keys.table?.keys.contains { $0.id == item.secret.key } == true
      items.append(hasKey ? item : try renewed(item))
    }
    return items
  }

  /// Returns whether an item's secret is damaged although its key is available.
  fileprivate mutating func isBeyondRepair(_ item: VaultItem) throws(SecretStoreError) -> Bool {
    do {
      _ = try open(item)
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

extension [VaultItem] {
  /// The maximum size of one record, in bytes; a larger item has a separate record.
  static let blockBytes = 1 << 20

  /// The items in blocks, each of which forms one record under the attributes key of its items.
  func records(of limit: Int) -> [(accessibility: Accessibility, items: ArraySlice<VaultItem>)] {
    [Accessibility.whenUnlocked, .always].flatMap { accessibility in
      filter { $0.attributesPurpose == .attributes(of: accessibility) }.blocks(of: limit)
        .map { (accessibility, $0) }
    }
  }

  /// The items in blocks that respect this limit of their number and the limit of their size.
  func blocks(of limit: Int) -> [ArraySlice<VaultItem>] {
    var blocks: [ArraySlice<VaultItem>] = []
    var start = 0
    var bytes = 0
    for index in indices {
      bytes += self[index].byteCount
      if index - start == limit || (bytes > Self.blockBytes && index > start) {
        blocks.append(self[start..<index])
        start = index
        bytes = self[index].byteCount
      }
    }
    if start < count { blocks.append(self[start...]) }
    return blocks
  }
}
