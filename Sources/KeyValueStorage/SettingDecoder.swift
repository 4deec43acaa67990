/// Makes the values of a setting; it does not hold the store, which may hold it.
struct SettingDecoder: Sendable {
  let defaultValue: AnyKept
  private let decodePresent: @Sendable (EncodedValue) throws(KeyValueStoreError) -> AnyKept

  init<Value: Codable & Sendable>(
    _ key: String, defaultValue: Value, format: any StoredFormat
  ) {
    self.defaultValue = Kept(defaultValue)
    decodePresent = { encoded throws(KeyValueStoreError) in
      Kept(try format.value(Value.self, from: encoded, key: key))
    }
  }

  /// The value of a key, or the default one where there is none.
  func decode(_ encoded: EncodedValue?) throws(KeyValueStoreError) -> AnyKept {
    guard let encoded else { return defaultValue }
    return try decodePresent(encoded)
  }
}
