/// The damage to a vault, and the items whose newest state is uncertain because of it.
///
/// The chain proves the records before the first gap. Records after it may be of another branch,
/// and those before it outdated, so all items are in doubt. The exceptions are the items of records
/// after the last gap, if this machine remembers one of these records.
struct VaultDamage: Sendable {
  private(set) var places: [String] = []
  /// Items whose newest record is lost while all other records are present, with the damaged place.
  private var doubtful: [SecretItem.ID: String] = [:]
  /// The place of such a record if it had several items or an unknown one.
  private var hiddenPlace: String?
  /// The place of the chain's first gap.
  private var gap: String?
  /// The items of the records after the last gap.
  private var resolved: Set<SecretItem.ID> = []
  /// Whether this machine remembers one of these records.
  private var isProven = false
  /// The first place lost since the last intact record.
  private var lossPlace: String?

  var description: String { places.joined(separator: ", ") }
  var isEmpty: Bool { places.isEmpty }
  /// Whether the subject of the last loss is still unknown.
  var isUnattributed: Bool { lossPlace != nil }
  /// The place where unknown items may have been added or removed.
  var hiding: String? { gap ?? hiddenPlace }

  /// The damaged place that makes an item's newest state unknown; nil if the state is known.
  subscript(id: SecretItem.ID) -> String? {
    if let gap, !isProven || !resolved.contains(id) { return gap }
    return doubtful[id]
  }

  mutating func lost(_ place: String) {
    places.append(place)
    lossPlace = lossPlace ?? place
  }

  /// Clears the last loss, which affected no record.
  mutating func forgetLoss() {
    lossPlace = nil
  }

  /// Notes that one copy of the key table is missing while another one is intact.
  mutating func missTable(before sequence: UInt64) {
    if lossPlace == nil { lost("the records before number \(sequence)") }
    lossPlace = nil
  }

  mutating func openGap(before sequence: UInt64) {
    if lossPlace == nil { lost("the records before number \(sequence)") }
    gap = gap ?? lossPlace
    lossPlace = nil
    resolved = []
    isProven = false
  }

  /// Resolves the doubt about an item, a record of which was read after the gap.
  mutating func resolve(_ item: SecretItem.ID) {
    if gap != nil { resolved.insert(item) }
  }

  /// Notes that a remembered record was read, which proves the records it is chained to.
  mutating func prove() {
    isProven = true
  }

  /// Notes that the last record is lost, whose subject and predecessor are known.
  mutating func lostLast(_ subject: RecordSubject, among index: VaultIndex) {
    guard let place = lossPlace else { return }
    lossPlace = nil
    switch subject {
    case .keys: break
    case .block: hiddenPlace = place
    case .item(let id):
      resolved.remove(id)
      doubtful[id] = place
      if index[id] == nil { hiddenPlace = place }
    }
  }
}

/// The state of a vault's chain of records.
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

  /// Skips the sequence numbers up to and including the given one.
  mutating func skip(to sequence: UInt64?) {
    guard let sequence, sequence > head.sequence else { return }
    head = ChainHead(
      sequence: sequence, digest: head.digest, subject: head.subject,
      predecessor: head.predecessor)
  }

  mutating func extend(by record: LogRecord, sequence: UInt64, _ subject: RecordSubject) {
    recordCount += 1
    byteCount += record.payload.count
    head = ChainHead(
      sequence: sequence, digest: Array(record.digest)[...], subject: subject,
      predecessor: head.digest)
    first = first ?? head
  }

  /// Moves to a new log whose records up to a key table have the items of this one.
  mutating func move(to table: KeyTableRecord, _ record: LogRecord, byteCount: Int) {
    self = VaultChain()
    start = table.logStart
    recordCount = Int(clamping: table.sequence - table.logStart)
    self.byteCount = byteCount
    head = ChainHead(
      sequence: table.sequence - 1, digest: table.previous, subject: table.predecessor,
      predecessor: [])
    extend(by: record, sequence: table.sequence, .keys)
  }
}

/// The remains of an unacknowledged write at a log's end, which the next write truncates.
struct InterruptedWrite: Equatable, Sendable {
  let place: String
  /// Whether the bytes are the beginning of a record, as a killed process may leave it.
  let isTorn: Bool
}

extension VaultContents {
  /// The maximum number of records of a write, which limits the search for its first one.
  private static let mostRecords: UInt64 = 4096

  /// Returns whether all entries after damaged bytes belong to the same unacknowledged write.
  ///
  /// A power failure can lose any sectors of a write of several records, so a later record may be
  /// intact while an earlier one is not. The machine remembers at most the last acknowledged write.
  func isUnacknowledged(
    behind rest: ArraySlice<LogChanges.Entry>
  ) throws(SecretStoreError) -> Bool {
    guard damage.isEmpty, !isForked, remembersThisLog, let expected, let table = keys.table,
      expected.sequence <= chain.head.sequence, chain.head.sequence < .max
    else { return false }
    var marks: Set<ArraySlice<UInt8>> = []
    for case .record(let record) in rest { marks.insert(VaultSealer.mark(of: record.payload)) }
    guard marks.count == 1, let mark = marks.first else { return false }
    let log = table.sealer(cipher)
    let last = chain.head.sequence + 1
    let earliest = max(expected.sequence + 1, last - min(last, Self.mostRecords))
    for first in (earliest...last).reversed()
    where try log.mark(ofWriteFrom: first) == mark { return true }
    return false
  }

  /// Returns the unreported discoveries: a missing vault, or an interrupted write.
  mutating func newDiscoveries() -> [SecretStoreError] {
    var found = [vanishing].compactMap(\.self)
    if let interruptedWrite, !interruptedWrite.isTorn {
      found.append(
        .corrupted(
          """
          \(interruptedWrite.place): this is the rest of a write that was interrupted before it \
          was acknowledged, as by a power failure, and the next write cuts it off
          """))
    }
    return found.filter { reported.insert($0).inserted }
  }
}
