import FoundationEssentials
import KeyValueStorage

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
      case .native(let value): return value
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
    // What the app tells its types by the encoder, the store's own coding would not tell them.
    if encoder.userInfo.isEmpty { return .native(value) }
    do {
      return .coded(try encoder.encode(value))
    } catch {
      // Less than a container: 1.x stored this as it is.
      return .native(value)
    }
  }
}
