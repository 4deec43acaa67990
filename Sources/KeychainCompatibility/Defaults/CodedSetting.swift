import FoundationEssentials
import KeyValueStorage
import StorageInternals

/// A setting of a store that may have been coded by 1.x.
struct CodedSetting<Value: Codable & Sendable>: Sendable {
  private let stored: StoredValue<CodedValue<Value>?>
  private let encoder: PropertyListEncoder
  private let decoder: PropertyListDecoder

  init(
    _ key: String, in store: KeyValueStore, _ encoder: PropertyListEncoder,
    _ decoder: PropertyListDecoder
  ) {
    stored = StoredValue(key, in: store)
    self.encoder = encoder
    self.decoder = decoder
  }

  var value: Value? {
    get {
      switch stored.wrappedValue {
      case nil: return nil
      case .native(let value): return decodedData(in: value) ?? value
      case .coded(let data):
        do {
          return try decoder.decodeCoded(Value.self, from: data)
        } catch {
          KeyValueStore.onFailure(
            .undecodable(
              key: stored.key, type: "\(Value.self)",
              reason: "neither the value nor the property list in it is one"))
          return nil
        }
      }
    }
    nonmutating set {
      stored.wrappedValue = newValue.map(coded)
    }
  }

  private func coded(_ value: Value) -> CodedValue<Value> {
    // The types of the app get the encoder's information from 1.x's coding alone, and `Data` that
    // looks like a property list of 1.x would not come back as it is.
    if encoder.userInfo.isEmpty, decodedData(in: value) == nil { return .native(value) }
    do {
      return .coded(try encoder.encode(value))
    } catch {
      // Less than a container: 1.x stored this as it is.
      return .native(value)
    }
  }

  /// The `Data` that 1.x coded as a property list; nil for other values.
  private func decodedData(in value: Value) -> Value? {
    guard let data = value as? Data,
      data.starts(with: BinaryPropertyListCheck.magic) || data.starts(with: "<?xml".utf8)
    else { return nil }
    do {
      return try decoder.decodeCoded(Value.self, from: data)
    } catch {
      // It is a list of the app's own.
      return nil
    }
  }
}
