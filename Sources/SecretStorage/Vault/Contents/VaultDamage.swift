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
  var hiddenItemsPlace: String? { gap ?? hiddenPlace }

  /// The damaged place that makes an item's newest state unknown; nil if the state is known.
  subscript(id: SecretItem.ID) -> String? {
    if let gap, !isProven || !resolved.contains(id) { return gap }
    return doubtful[id]
  }

  mutating func recordLoss(_ place: String) {
    places.append(place)
    lossPlace = lossPlace ?? place
  }

  /// Clears the last loss, which affected no record.
  mutating func clearLoss() {
    lossPlace = nil
  }

  /// Notes that one copy of the key table is missing while another one is intact.
  mutating func recordMissingTable(before sequence: UInt64) {
    if lossPlace == nil { recordLoss("the records before number \(sequence)") }
    lossPlace = nil
  }

  mutating func recordGap(before sequence: UInt64) {
    if lossPlace == nil { recordLoss("the records before number \(sequence)") }
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
  mutating func markProven() {
    isProven = true
  }

  /// Notes that the last record is lost, whose subject and predecessor are known.
  mutating func recordLossOfLast(_ subject: RecordSubject, among index: VaultIndex) {
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
