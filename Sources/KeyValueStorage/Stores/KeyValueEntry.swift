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
}
