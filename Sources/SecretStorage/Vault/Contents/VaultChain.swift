/// The chain of a log's records.
struct VaultChain: Sendable {
  /// The last intact record.
  private(set) var head = ChainHead.none
  private(set) var first: ChainHead?
  /// The sequence number of the log's first record.
  var start: UInt64?
  private(set) var recordCount = 0
  /// The number of records with one item, which take longer to open than blocks of items.
  private(set) var singleItemRecordCount = 0

  mutating func skip(to sequence: UInt64?) {
    guard let sequence, sequence > head.sequence else { return }
    head.sequence = sequence
  }

  mutating func extend(by record: LogRecord, sequence: UInt64, _ subject: RecordSubject) {
    recordCount += 1
    if case .item = subject { singleItemRecordCount += 1 }
    head = ChainHead(
      sequence: sequence, digest: Array(record.digest)[...], subject: subject,
      previousDigest: head.digest)
    first = first ?? head
  }

  /// Continues in a new log whose records up to a key table contain the items of this one.
  mutating func move(to table: KeyTableRecord, _ record: LogRecord) {
    self = VaultChain()
    start = table.logStart
    recordCount = Int(clamping: table.sequence - table.logStart)
    head = ChainHead(
      sequence: table.sequence - 1, digest: table.previousDigest, subject: table.previousSubject,
      previousDigest: [])
    extend(by: record, sequence: table.sequence, .keys)
  }
}

/// The last record of a log, whose digest the next record repeats.
struct ChainHead: Hashable, Sendable {
  static let none = ChainHead(
    sequence: 0, digest: [UInt8](repeating: 0, count: 32)[...], subject: .keys,
    previousDigest: [])

  fileprivate(set) var sequence: UInt64
  let digest: ArraySlice<UInt8>
  let subject: RecordSubject
  /// The digest of the previous record; empty if it is unknown.
  let previousDigest: ArraySlice<UInt8>
}

/// The object of a record's change, which the next record repeats in case this record is lost.
enum RecordSubject: Hashable, Sendable {
  case keys
  case item(SecretItem.ID)
  /// Several items that no earlier record contains, as in a compacted log.
  case block

  private static let blockID = SecretItem.ID([UInt8](repeating: 0, count: 16)[...])
  private static let keysID = SecretItem.ID([UInt8](repeating: 255, count: 16)[...])

  /// The identifier of the item, or a reserved one.
  var id: SecretItem.ID {
    switch self {
    case .item(let id): id
    case .block: Self.blockID
    case .keys: Self.keysID
    }
  }

  init(id: SecretItem.ID) {
    switch id {
    case Self.blockID: self = .block
    case Self.keysID: self = .keys
    default: self = .item(id)
    }
  }
}
