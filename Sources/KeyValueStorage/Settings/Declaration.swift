import Concurrency
import ValueFormats

/// A key and a type of a store's properties, with the decoded value that these properties share.
///
/// The store keeps it until the store is released, and it does not retain the store. It is not
/// generic: looking up generic metadata takes ten times as long as the rest of a getter.
///
/// `@unchecked`: the cache is only accessed under the lock of the store's state.
final class Declaration: @unchecked Sendable {
  struct Cache {
    /// The store's generation in which `valid` is the value; nil if each access must check.
    var generation: Int?
    /// The bytes that were last decoded, with the result in `error` or `valid`.
    var encoded: EncodedValue?
    /// Whether no bytes have been decoded, or the store has found others since.
    var isOutdated = true
    /// The number of threads that will decode the newest bytes.
    var readers = 0
    var error: KeyValueStoreError?
    /// The last valid value; nil for the default value.
    var valid: AnyBox?
    /// The generation from which `valid` was stored.
    var validGeneration = 0
    /// The bytes of `valid`, while there is an error.
    var validBytes: EncodedValue?
    /// The reason why the last assignment was rejected.
    var rejection: KeyValueStoreError? {
      didSet {
        // Any other reason lasts until the store can be read.
        if rejection == nil, let oldValue, case .unencodable = oldValue {
          KeyValueStore.didSucceed(after: [oldValue])
        }
      }
    }

    /// Whether the result for these bytes is cached.
    func hasResult(for encoded: EncodedValue?) -> Bool { !isOutdated && self.encoded == encoded }

    /// Caches the result for bytes that are stored since a generation.
    mutating func set(_ encoded: EncodedValue?, _ result: DecodedValue, since generation: Int) {
      // The default handler prints the error of new bytes, even if it is the same.
      if let error, !hasResult(for: encoded) { KeyValueStore.didSucceed(after: [error]) }
      if error == nil, result.error != nil { validBytes = self.encoded?.copied }
      self.encoded = encoded
      isOutdated = false
      error = result.error
      if error == nil {
        // Without a stored value, each property has its own default.
        (valid, validGeneration) = (encoded == nil ? nil : result.value, generation)
      }
    }
  }

  let key: StoredKey
  /// The type of the boxed value.
  let type: ObjectIdentifier
  let decode: @Sendable (EncodedValue) throws(DecodingFailure) -> AnyBox
  // The lock excludes other threads, and each access is over before the next one begins.
  @safe @exclusivity(unchecked) var cache = Cache()

  init<Value: Codable & Sendable>(_ key: String, _ type: Value.Type, _ coding: any StoredFormat) {
    self.key = StoredKey(key)
    self.type = ObjectIdentifier(type)
    decode = { encoded throws(DecodingFailure) in
      Box(try coding.decoded(type, from: encoded, key: key))
    }
  }
}

extension EncodedValue {
  /// The bytes without the rest of the file, which a slice retains.
  var copied: EncodedValue { EncodedValue(Array(self)) }
}

/// The result of decoding: a value, which is nil for the default one, or an error.
typealias DecodedValue = (value: AnyBox?, error: KeyValueStoreError?)

/// Bytes to decode for the properties of a declaration.
struct PendingValue: Sendable {
  let declaration: Declaration
  let encoded: EncodedValue?
  /// The store's generation in which all threads see these bytes; nil if one thread sees them.
  let generation: Int?
}

/// An observer of the error of a property, and the error with which it was last called.
struct ErrorObserver: Sendable {
  typealias Handler = @Sendable (KeyValueStoreError?) -> Void

  let declaration: Declaration
  let observer: Observer<Handler>
  var last: KeyValueStoreError?
}

// The declarations, whose caches are accessed under the lock of the state.
extension StoreState {
  /// Returns the declaration with the key and type of another one, which is added if it is new.
  mutating func add(_ new: Declaration) -> Declaration {
    let declared = declarations[new.key] ?? []
    if let known = declared.first(where: { $0.type == new.type }) { return known }
    declarations[new.key] = declared + [new]
    return new
  }

  /// The values of all declarations, or of some, whose bytes have not been decoded.
  func pending(of chosen: [Declaration]? = nil) -> [PendingValue] {
    let all = chosen ?? declarations.values.flatMap(\.self)
    let pending = all.compactMap { declaration -> PendingValue? in
      let encoded = self[declaration.key]
      if declaration.cache.hasResult(for: encoded) { return nil }
      return PendingValue(declaration: declaration, encoded: encoded, generation: generation)
    }
    return pending.sorted { $0.declaration.key < $1.declaration.key }
  }

  /// Caches a decoded value, unless the key has other bytes by now; returns whether to report its
  /// error.
  mutating func cache(_ result: DecodedValue, of pending: PendingValue) -> Bool {
    let declaration = pending.declaration
    guard self[declaration.key] == pending.encoded else {
      if let past = pending.generation, result.error == nil,
        past > declaration.cache.validGeneration
      {
        (declaration.cache.valid, declaration.cache.validGeneration) = (result.value, past)
        declaration.cache.validBytes = pending.encoded?.copied
      }
      // The error of newer bytes is reported instead.
      return pending.generation == nil && result.error != nil
    }
    let isNew = !declaration.cache.hasResult(for: pending.encoded)
    declaration.cache.set(pending.encoded, result, since: generation)
    declaration.cache.generation = sharedGeneration
    notifyErrorObservers()
    return isNew && result.error != nil
  }

  /// The generation for which a value can be cached; nil while each access must check.
  var sharedGeneration: Int? { transaction == nil && !needsReading ? generation : nil }

  /// The error of a property for threads that are not in a transaction.
  func error(of declaration: Declaration) -> KeyValueStoreError? {
    declaration.cache.rejection ?? declaration.cache.error ?? storingError(of: declaration.key)
  }

  /// The error of a key whose value is valid.
  func storingError(of key: StoredKey) -> KeyValueStoreError? {
    readError ?? (unsaved[key] == nil ? nil : writeError)
  }

  /// Schedules the calls of the observers of errors that have changed.
  mutating func notifyErrorObservers() {
    for index in errorObservers.indices {
      let declaration = errorObservers[index].declaration
      let error = self.error(of: declaration)
      // After a change of the bytes, the error is not known before they are decoded.
      if error == errorObservers[index].last
        || readError == nil && !declaration.cache.hasResult(for: self[declaration.key])
      {
        continue
      }
      errorObservers[index].last = error
      let observer = errorObservers[index].observer
      observers.queue.run { observer.handler?(error) }
    }
  }
}
