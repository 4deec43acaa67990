/// New records of a vault under its keys, which continue the chain of the previous records.
struct RecordComposer {
  /// The number of copies of a key table, so that damage to one copy does not destroy the vault.
  static let tableCount = 2

  private(set) var records: [LogRecord] = []
  private(set) var chain: VaultChain
  private(set) var keys: VaultKeys

  init(continuing chain: VaultChain, with keys: VaultKeys) {
    (self.chain, self.keys) = (chain, keys)
  }

  /// Begins a new log, with the keys that its items or new ones require; meanwhile, other writers
  /// may use the sequence numbers up to `reserved`.
  init(
    replacing old: VaultChain, reserved: UInt64? = nil, with keys: VaultKeys,
    for items: [VaultItem], followedBy count: Int?
  ) throws(SecretStoreError) {
    guard var table = keys.table, keys.isUnlocked else { throw keys.lockReason }
    self.init(continuing: old, with: keys)
    chain.skip(to: reserved)
    chain.skip(to: table.end)
    let newest = Set(table.keys.map(\.purpose)).compactMap { table.key(for: $0)?.id }
    let required = Set(items.map(\.secret.key)).union(newest)
    table.keys.removeAll { !required.contains($0.id) && $0.purpose != .earlierTables }
    try self.keys.replaceTable(with: table)
    try begin(followedBy: count)
  }

  var nextSequence: UInt64 { chain.head.sequence + 1 }

  /// The state to record once the records are written; without keys if no user key proves them.
  var result: RememberedVault? {
    var vault = RememberedVault(chain, keys)
    if keys.ring.user == nil { vault?.keys = nil }
    return vault
  }

  /// Begins a log of key tables and `count` more records; if it is nil, a later table has the end.
  mutating func begin(followedBy count: Int?) throws(SecretStoreError) {
    chain.start = nextSequence
    let end = count.map { chain.head.sequence + UInt64(Self.tableCount + $0) } ?? 0
    for _ in 0..<Self.tableCount { try addTable(end: end) }
  }

  /// Ends a log with a key table that identifies the log that it replaces.
  mutating func end(replacing head: ChainHead) throws(SecretStoreError) {
    try addTable(end: nextSequence, replacing: head)
  }

  private mutating func addTable(
    end: UInt64, replacing head: ChainHead? = nil
  ) throws(SecretStoreError) {
    guard var table = keys.table else { throw keys.lockReason }
    table.end = end
    table.replaced = head.map { (sequence: $0.sequence, digest: $0.digest) }
    let record = try table.sealer.keys(
      table, after: chain.head, logStart: chain.start ?? nextSequence, under: keys.ring)
    add(record, .keys)
  }

  /// Removes and returns the records so far, to limit the memory in use.
  mutating func takeRecords() -> [LogRecord] {
    defer { records = [] }
    return records
  }

  /// Adds blocks of items; calls a closure after each with the number of items so far.
  mutating func add(
    _ blocks: [ItemBlock],
    progress: (inout RecordComposer, _ completed: Int) throws(SecretStoreError) -> Void
  ) throws(SecretStoreError) {
    var completed = 0
    for (accessibility, items) in blocks {
      try add(items.map(ItemEntry.put), as: accessibility)
      completed += items.count
      try progress(&self, completed)
    }
  }

  /// Adds a record; `first` is the sequence of an appended write's first record.
  ///
  /// Several entries must be of new or unchanged items, because the next record does not list them.
  mutating func add(
    _ entries: [ItemEntry], as accessibility: Accessibility, writtenFrom first: UInt64? = nil
  ) throws(SecretStoreError) {
    let record = try keys.sealer.items(
      entries, after: chain.head, under: keys.attributesKey(for: accessibility),
      writtenFrom: first)
    add(record, RecordSubject(of: entries))
  }

  private mutating func add(_ record: LogRecord, _ subject: RecordSubject) {
    records.append(record)
    chain.extend(by: record, sequence: nextSequence, subject)
  }
}

typealias ItemBlock = (accessibility: Accessibility, items: ArraySlice<VaultItem>)

extension VaultItem {
  var attributesPurpose: KeyPurpose { .attributes(of: accessControl.accessibility) }
}

extension [VaultItem] {
  /// The maximum size of one record, in bytes; a larger item has a separate record.
  static let blockBytes = 1 << 20

  /// Returns the items in blocks for records of at most `limit` items, with the oldest first.
  func itemBlocks(of limit: Int) -> [ItemBlock] {
    let sorted = sorted { $0.created < $1.created }
    return [Accessibility.whenUnlocked, .always].flatMap { accessibility in
      sorted.filter { $0.attributesPurpose == .attributes(of: accessibility) }.blocks(of: limit)
        .map { (accessibility, $0) }
    }
  }

  /// Returns the items, in their order, in blocks of at most `limit` items and ``blockBytes``.
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
