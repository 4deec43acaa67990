import ValueFormats

/// The existing properties of a store, so that it can check their values when the file changes.
struct PropertyRegistry: Sendable {
  /// Properties with the same key and type share their last valid value.
  private struct Identifier: Hashable, Sendable {
    let key: StoredKey
    let type: ObjectIdentifier
  }

  private var records: [Identifier: PropertyRecord] = [:]
  /// The number of records at which those of released properties are removed.
  private var limit = 64

  var isEmpty: Bool { records.isEmpty }

  /// Returns the record of a property; `hasValue` returns whether a key is stored.
  mutating func record(
    of property: Property, hasValue: (StoredKey) -> Bool
  ) -> PropertyRecord {
    let identifier = Identifier(key: property.key, type: ObjectIdentifier(property.type))
    if let record = records[identifier] { return record }
    if records.count >= limit {
      // A released property may exist again later, and then needs its last valid value.
      records = records.filter { $1.isUsed || hasValue($0.key) }
      limit = max(64, records.count * 2)
    }
    let record = PropertyRecord()
    records[identifier] = record
    return record
  }

  /// The existing properties; must be released without the lock of the store's state.
  var all: [Property] { records.values.flatMap(\.properties) }
}

/// The state that all properties with the same key and type share.
///
/// `@unchecked`: guarded by the lock of the state of the properties' store.
final class PropertyRecord: @unchecked Sendable {
  private struct Reference: Sendable {
    weak let property: Property?
  }

  private var references: [ObjectIdentifier: Reference] = [:]
  /// The last valid value; nil if there was none, so that the default value applies.
  private(set) var lastValid: AnyBox?
  /// The reported error, and the invalid value.
  private var mistake: (encoded: EncodedValue?, error: KeyValueStoreError)?

  /// The last valid value as it is stored; nil before the first one.
  private var valid: EncodedValue??

  var properties: [Property] { references.values.compactMap(\.property) }

  var isUsed: Bool { !references.isEmpty }

  func add(_ property: Property) {
    references[ObjectIdentifier(property)] = Reference(property: property)
  }

  func remove(_ property: Property) { references[ObjectIdentifier(property)] = nil }

  /// Whether a value is the recorded invalid one.
  func isInvalid(_ encoded: EncodedValue?) -> Bool {
    mistake.map { $0.encoded == encoded } ?? false
  }

  /// Whether a value is the recorded valid one.
  func isValid(_ encoded: EncodedValue?) -> Bool { valid.map { $0 == encoded } ?? false }

  /// Records a valid value, or nil for the default one; returns the reported error it resolves.
  func accept(_ value: AnyBox?, _ encoded: EncodedValue?) -> KeyValueStoreError? {
    lastValid = value
    valid = .some(encoded)
    // A property with another default value may reject the same encoded value.
    if let mistake, mistake.encoded != encoded {
      self.mistake = nil
      return mistake.error
    }
    return nil
  }

  /// Records an invalid value; returns whether it is new, and the reported error that it replaces.
  func reject(
    _ encoded: EncodedValue?, _ error: KeyValueStoreError
  ) -> (isNew: Bool, replaced: KeyValueStoreError?) {
    if let mistake, mistake.encoded == encoded { return (false, nil) }
    let replaced = mistake?.error
    // A copy, because the value is a part of the whole file.
    mistake = (encoded.map { EncodedValue(Array($0)) }, error)
    return (true, replaced)
  }
}
