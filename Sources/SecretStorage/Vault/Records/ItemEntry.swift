enum ItemEntry: Sendable {
  case put(VaultItem)
  /// The removal of the item, if it has this revision or an earlier one.
  case remove(SecretItem.ID, revision: UInt64)

  private enum Operation: UInt8 {
    case put = 1
    case remove = 2
  }

  var id: SecretItem.ID {
    switch self {
    case .put(let item): item.id
    case .remove(let id, _): id
    }
  }

  /// Appends the entry to a record's attributes; the sealed secrets follow in the same order.
  func encode(into bytes: inout [UInt8]) {
    switch self {
    case .put(let item):
      bytes.append(Operation.put.rawValue)
      bytes += item.encoded
    case .remove(let id, let revision):
      bytes.append(Operation.remove.rawValue)
      bytes.append(id)
      bytes.append(littleEndian: revision)
    }
  }

  init(
    in body: RecordBody, _ reader: inout RecordReader, secrets: inout RecordReader
  ) throws(MalformedRecord) {
    switch Operation(rawValue: try reader.integer()) {
    case .put: self = .put(try VaultItem(in: body, &reader, secrets: &secrets))
    case .remove: self = .remove(try reader.itemID(), revision: try reader.integer())
    case nil: throw MalformedRecord()
    }
  }
}
