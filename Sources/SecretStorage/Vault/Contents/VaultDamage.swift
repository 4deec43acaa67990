/// The damage to a vault, and the items whose newest state is uncertain because of it.
///
/// The chain authenticates the order of the records before the first gap. Records after the gap may
/// belong to another branch, and those before it may be outdated, so all items are uncertain. The
/// exceptions are the items of records after the last gap, if this machine recorded one of these.
struct VaultDamage: Sendable {
  private(set) var places: [String] = []
  /// Items whose newest record is the only lost one, with the damaged place.
  private var uncertain: [SecretItem.ID: String] = [:]
  /// The place of such a record if it contained several items or an unknown item.
  private var hiddenPlace: String?
  private var gap: String?
  private var resolved: Set<SecretItem.ID> = []
  /// Whether this machine has recorded one of these records.
  var isProven = false
  /// The first place of a loss since the last intact record, whose subject is still unknown.
  var lossPlace: String?

  var description: String { places.summary }
  var isEmpty: Bool { places.isEmpty }
  /// Whether the rest of the log counts as damaged, because there are too many damaged places.
  var isExhausted: Bool { places.count > LogChanges.damageLimit }
  /// The place where unknown items may have been added or removed.
  var hiddenItemsPlace: String? { gap ?? hiddenPlace }

  /// The damaged place that makes an item's newest state unknown; nil if the state is known.
  subscript(id: SecretItem.ID) -> String? {
    if let gap, !isProven || !resolved.contains(id) { return gap }
    return uncertain[id]
  }

  mutating func recordLoss(_ place: String) {
    if places.count < LogChanges.damageLimit {
      places.append(place)
    } else if !isExhausted {
      places.append("\(place) and everything after it")
    }
    lossPlace = lossPlace ?? place
  }

  /// Records that records are missing, so that the items before and after them are uncertain unless
  /// only one of two copies of the key table is missing.
  mutating func recordGap(before sequence: UInt64, onlyTable: Bool = false) {
    if lossPlace == nil { recordLoss("the records before record \(sequence)") }
    if !onlyTable { (gap, resolved, isProven) = (gap ?? lossPlace, [], false) }
    lossPlace = nil
  }

  /// Makes an item certain, one of whose records follows the gap.
  mutating func resolve(_ item: SecretItem.ID) {
    if gap != nil { resolved.insert(item) }
  }

  mutating func recordLossOfLast(_ subject: RecordSubject, among index: VaultIndex) {
    guard let place = lossPlace else { return }
    lossPlace = nil
    switch subject {
    case .keys: break
    case .block: hiddenPlace = place
    case .item(let id):
      resolved.remove(id)
      uncertain[id] = place
      if index[id] == nil { hiddenPlace = place }
    }
  }
}

extension [String] {
  /// The first ten strings, separated by commas, and the number of the others.
  var summary: String {
    let list = prefix(10).joined(separator: ", ")
    return count > 10 ? "\(list) and \(count - 10) more" : list
  }
}
