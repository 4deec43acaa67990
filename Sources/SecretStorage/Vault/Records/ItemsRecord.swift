/// A record of items, with the entries that could be opened.
struct ItemsRecord {
  var entries: [ItemEntry] = []
  /// The subject of the previous record; nil if it is unknown.
  var predecessor: RecordSubject?

  var subject: RecordSubject { entries.count == 1 ? .item(entries[0].id) : .block }
}
