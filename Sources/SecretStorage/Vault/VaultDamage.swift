/// What is damaged in a vault, and which items that puts in doubt.
///
/// Records are proven by the chain from the log's beginning on, up to the first gap. Behind it,
/// they may be of another branch of the vault's history, and before it an older state, so that no
/// item is beyond doubt; but for those that the last records are about, if this machine remembers
/// one of these, and no gap follows.
struct VaultDamage: Sendable {
  /// Every damaged place, for messages.
  private(set) var places: [String] = []
  /// Items whose newest record is lost, where all other records are there.
  private var doubtful: [SecretItem.ID: String] = [:]
  /// Where such a record was of several items.
  private var hiddenPlace: String?
  /// Where the chain has a gap.
  private var gap: String?
  /// The items that the records behind the last gap are about.
  private var settled: Set<SecretItem.ID> = []
  /// Whether this machine remembers one of these records.
  private var isProven = false
  /// Lost since the last intact record.
  private var lossPlace: String?

  var description: String { places.joined(separator: ", ") }
  var isEmpty: Bool { places.isEmpty }
  /// Whether nothing has told yet what the last loss was of.
  var isUnattributed: Bool { lossPlace != nil }
  /// Where items may have been added or removed that nothing else tells of.
  var hiding: String? { gap ?? hiddenPlace }

  /// Why an item's newest state is unknown, if it is.
  subscript(id: SecretItem.ID) -> String? {
    if let gap, !isProven || !settled.contains(id) { return gap }
    return doubtful[id]
  }

  /// Notes a place from which nothing could be read.
  mutating func lost(_ place: String) {
    places.append(place)
    lossPlace = lossPlace ?? place
  }

  /// The loss was of nothing that is missed.
  mutating func forgetLoss() {
    lossPlace = nil
  }

  /// Notes that a copy of the table of keys is missing, of which there is another one.
  mutating func missTable(before sequence: UInt64) {
    if lossPlace == nil { lost("the records before number \(sequence)") }
    lossPlace = nil
  }

  /// Notes that records are missing before one of a number.
  mutating func openGap(before sequence: UInt64) {
    if lossPlace == nil { lost("the records before number \(sequence)") }
    gap = gap ?? lossPlace
    lossPlace = nil
    settled = []
    isProven = false
  }

  /// Notes that a record was read about an item.
  mutating func settle(_ item: SecretItem.ID) {
    if gap != nil { settled.insert(item) }
  }

  /// Notes that a record was read that this machine remembers, and with it those that it is chained
  /// to.
  mutating func prove() {
    isProven = true
  }

  /// Notes that the last record is lost, of which it is known what it was about, and which one it
  /// followed.
  mutating func lostLast(_ subject: RecordSubject, among index: VaultIndex) {
    guard let place = lossPlace else { return }
    lossPlace = nil
    switch subject {
    case .keys: break
    case .block: hiddenPlace = place
    case .item(let id):
      settled.remove(id)
      doubtful[id] = place
      if index[id] == nil { hiddenPlace = place }
    }
  }
}
