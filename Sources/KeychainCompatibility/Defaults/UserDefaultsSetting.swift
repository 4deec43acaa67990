import Foundation
import KeyValueStorage

/// A setting where 1.x kept it.
struct UserDefaultsSetting<Value: Codable & Sendable>: Sendable {
  private let key: String
  // Its documentation says that it may be used from all threads; it is not marked so on Linux.
  private nonisolated(unsafe) let defaults: UserDefaults
  private let encoder: PropertyListEncoder
  private let decoder: PropertyListDecoder

  init(
    _ key: String, in defaults: UserDefaults, _ encoder: PropertyListEncoder,
    _ decoder: PropertyListDecoder
  ) {
    self.key = key
    unsafe self.defaults = defaults
    self.encoder = encoder
    self.decoder = decoder
  }

  var value: Value? {
    get {
      guard let object = unsafe defaults.object(forKey: key) else { return nil }
      if let data = object as? Data {
        do {
          return try decoder.decodeCoded(Value.self, from: data)
        } catch {
          // Then it is the value itself, or none of this type.
        }
      }
      do {
        // A property list has a container at its top.
        let list = try PropertyListSerialization.data(
          fromPropertyList: [object], format: .binary, options: 0)
        return try decoder.decode([Value].self, from: list).first
      } catch {
        report(.undecodable(key: key, type: "\(Value.self)", reason: "the value is another one"))
        return nil
      }
    }
    nonmutating set {
      guard let newValue else { return unsafe defaults.removeObject(forKey: key) }
      do {
        unsafe defaults.set(try encoder.encode(newValue), forKey: key)
      } catch {
        setElement(newValue)
      }
    }
  }

  /// Stores what is less than a container as it is.
  private func setElement(_ value: Value) {
    do {
      // Its format is not asked for, so nothing is written behind a pointer.
      let list = unsafe try PropertyListSerialization.propertyList(
        from: encoder.encode([value]), format: nil)
      unsafe defaults.set((list as? [Any])?.first, forKey: key)
    } catch {
      report(
        .unencodable(key: key, type: "\(Value.self)", reason: "a property list cannot hold it"))
    }
  }

  private func report(_ error: KeyValueStoreError) {
    KeyValueStore.onFailure(error)
  }
}
