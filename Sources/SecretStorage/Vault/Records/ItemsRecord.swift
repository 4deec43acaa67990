/// A record of items as read, as far as it could be opened.
struct ItemsRecord {
  var entries: [ItemEntry] = []
  /// The subject of the record before; nil if it is unknown.
  var predecessor: RecordSubject?

  var subject: RecordSubject { entries.count == 1 ? .item(entries[0].id) : .block }
}
