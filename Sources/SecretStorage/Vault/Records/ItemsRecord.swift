/// The decrypted and decoded content of a record of items.
struct ItemsRecord {
  var entries: [ItemEntry] = []
  /// The subject of the previous record; nil if it is unknown.
  var previousSubject: RecordSubject?

  var subject: RecordSubject { entries.count == 1 ? .item(entries[0].id) : .block }
}
