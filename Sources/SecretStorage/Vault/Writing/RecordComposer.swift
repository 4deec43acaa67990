/// New records of a vault, which continue the chain of the previous records.
struct RecordComposer {
  /// The number of copies of a key table, so that damage to one copy does not destroy the vault.
  static let tableCount = 2

  private(set) var records: [LogRecord] = []
  private(set) var chain: VaultChain
  private let cipher: any SecretCipher

  init(continuing chain: VaultChain = VaultChain(), _ cipher: any SecretCipher) {
    (self.chain, self.cipher) = (chain, cipher)
  }

  var nextSequence: UInt64 { chain.head.sequence + 1 }

  /// Begins a log with a key table, which states that the given number of records follows it; nil
  /// if a later table states the end.
  mutating func begin(
    with keys: VaultKeys, followedBy count: Int?
  ) throws(SecretStoreError) {
    chain.start = nextSequence
    let end = count.map { chain.head.sequence + UInt64(Self.tableCount + $0) } ?? 0
    for _ in 0..<Self.tableCount { try addTable(of: keys, end: end) }
  }

  /// Ends a log with a key table that identifies the log that the records replace.
  mutating func end(
    with keys: VaultKeys, replacing head: ChainHead
  ) throws(SecretStoreError) {
    try addTable(of: keys, end: nextSequence, replacing: head)
  }

  private mutating func addTable(
    of keys: VaultKeys, end: UInt64, replacing head: ChainHead? = nil
  ) throws(SecretStoreError) {
    guard var table = keys.table else { throw keys.lockReason }
    table.end = end
    table.replaced = head.map { (sequence: $0.sequence, digest: $0.digest) }
    let record = try table.sealer(cipher).keys(
      table, after: chain.head, logStart: chain.start ?? nextSequence, under: keys.ring)
    add(record, .keys)
  }

  /// Removes and returns the records so far; the chain continues.
  mutating func takeRecords() -> [LogRecord] {
    defer { records = [] }
    return records
  }

  /// Adds a record of entries, sealed under the attributes key of an accessibility.
  ///
  /// Several entries must belong to new or unchanged items, because the next record does not list
  /// the items of a lost record. `first` is the sequence of the first record of an appended write.
  mutating func add(
    _ entries: [ItemEntry], as accessibility: Accessibility, under keys: VaultKeys,
    writtenFrom first: UInt64? = nil
  ) throws(SecretStoreError) {
    let record = try keys.sealer(cipher).items(
      entries, after: chain.head, under: keys.attributesKey(for: accessibility),
      writtenFrom: first)
    add(record, entries.count == 1 ? .item(entries[0].id) : .block)
  }

  private mutating func add(_ record: LogRecord, _ subject: RecordSubject) {
    records.append(record)
    chain.extend(by: record, sequence: nextSequence, subject)
  }
}
