/// The bytes that stand for a value in a format, such as `0.8` or `{"name": "x"}` in JSON.
public typealias EncodedValue = ArraySlice<UInt8>

/// A key with its value, as the bytes that a file has for them.
struct KeyValueEntry: Sendable {
  let key: StoredKey
  /// The bytes of the value, in a text format preceded by those of the key, without what separates
  /// entries.
  let text: ArraySlice<UInt8>
  /// How many bytes of the text come before the value.
  let valueOffset: Int

  var value: EncodedValue { text.dropFirst(valueOffset) }

  /// The entry with the value of another one; comments and the spelling of the key stay as they are.
  func with(_ new: KeyValueEntry) -> KeyValueEntry {
    if text.prefix(valueOffset) == new.text.prefix(new.valueOffset) { return new }
    return KeyValueEntry(
      key: key, text: text.prefix(valueOffset) + new.value, valueOffset: valueOffset)
  }
}
