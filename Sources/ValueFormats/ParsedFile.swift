/// A file, split into its entries and the text around them.
package struct ParsedFile: Sendable {
  package var entries: [KeyValueEntry]
  package var enclosingText: EnclosingText

  package init(entries: [KeyValueEntry], enclosingText: EnclosingText = EnclosingText()) {
    self.entries = entries
    self.enclosingText = enclosingText
  }
}

/// A key and its encoded value in a file.
package struct KeyValueEntry: Sendable {
  package let key: StoredKey
  /// The entry's bytes in the file: the value, preceded by the key in a text format.
  package let text: ArraySlice<UInt8>
  /// The number of bytes before the value.
  package let valueOffset: Int

  package init(key: StoredKey, text: ArraySlice<UInt8>, valueOffset: Int) {
    self.key = key
    self.text = text
    self.valueOffset = valueOffset
  }

  package var value: ArraySlice<UInt8> { text.dropFirst(valueOffset) }

  /// Returns this entry with the value of another, preserving comments and the notation of the key.
  package func with(_ new: KeyValueEntry) -> KeyValueEntry {
    if text.prefix(valueOffset) == new.text.prefix(new.valueOffset) { return new }
    return KeyValueEntry(
      key: key, text: text.prefix(valueOffset) + new.value, valueOffset: valueOffset)
  }
}

/// The text of a file before its first entry and after its last entry, such as comments.
package struct EnclosingText: Sendable, Hashable {
  package var header: [UInt8]
  package var footer: [UInt8]

  package init(header: [UInt8] = [], footer: [UInt8] = []) {
    self.header = header
    self.footer = footer
  }
}
