/// How far a vault's chain of records has come.
struct VaultChain: Sendable {
  /// The last intact record.
  private(set) var head = ChainHead.none
  /// The first intact record.
  private(set) var first: ChainHead?
  /// The sequence of the log's first record.
  var start: UInt64?
  private(set) var recordCount = 0
  /// The sum of the records' lengths.
  private(set) var byteCount = 0

  /// Leaves out the numbers of records up to another head.
  mutating func skip(to other: ChainHead?) {
    guard let other, other.sequence > head.sequence else { return }
    head = ChainHead(
      sequence: other.sequence, digest: head.digest, subject: head.subject,
      predecessor: head.predecessor)
  }

  mutating func extend(by record: LogRecord, sequence: UInt64, _ subject: RecordSubject) {
    recordCount += 1
    byteCount += record.payload.count
    head = ChainHead(
      sequence: sequence, digest: record.digest, subject: subject, predecessor: head.digest)
    first = first ?? head
  }
}
