/// What is damaged in a vault, and which items that puts in doubt.
///
/// A record that cannot be read may have been the newest of any item before it. The record after it
/// names the one item that it was about, if it was about one; where that record is lost as well,
/// every item before is in doubt.
struct VaultDamage: Sendable {
  /// Every damaged place, for messages.
  private(set) var places: [String] = []
  /// Items whose newest record is lost or may be.
  private var doubtful: [SecretItem.ID: String] = [:]
  /// Where items may have been added that nothing else tells of.
  private(set) var hiding: String?
  /// Lost since the last intact record.
  private var lossPlace: String?

  var description: String { places.joined(separator: ", ") }
  var isEmpty: Bool { places.isEmpty }

  /// Why an item's newest state is unknown, if it is.
  subscript(id: SecretItem.ID) -> String? { doubtful[id] }

  /// Notes a place from which nothing could be read.
  mutating func lost(_ place: String) {
    places.append(place)
    lossPlace = lossPlace ?? place
  }

  /// The loss was of nothing that is missed.
  mutating func forgetLoss() {
    lossPlace = nil
  }

  /// Decides what the loss before an intact record was of.
  ///
  /// The subject is what the one lost record was about; nil when there were several, or nobody can
  /// tell.
  mutating func attribute(
    _ subject: RecordSubject?, among index: VaultIndex, before sequence: UInt64
  ) {
    if lossPlace == nil { lost("the records before number \(sequence)") }
    guard let place = lossPlace else { return }
    lossPlace = nil
    switch subject {
    case .keys:
      break
    case .item(let id):
      doubtful[id] = place
      if index[id] == nil { hiding = place }
    case .block:
      hiding = place
    case nil:
      hiding = place
      for entry in index.items { doubtful[entry.id] = place }
    }
  }

  /// Notes that a newer record of an item was read.
  mutating func settle(_ item: SecretItem.ID) {
    doubtful[item] = nil
  }
}
