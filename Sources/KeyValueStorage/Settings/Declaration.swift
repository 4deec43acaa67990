import Concurrency
import ValueFormats

/// A key and a type of a store's properties, with the decoded value that these properties share.
///
/// Properties whose default values have different members have different declarations, because a
/// structure in the file is completed with these members.
///
/// It does not retain the store. It is not generic: looking up generic metadata takes ten times as
/// long as the rest of a getter.
///
/// `@unchecked`: the variables are only accessed under the lock of the store's state.
final class Declaration: @unchecked Sendable {
  struct Cache {
    /// The store's generation in which `valid` is the value; nil if each access must check.
    var generation: Int?
    /// The bytes that were last decoded, with the result in `error` or `valid`.
    private var encoded: EncodedValue?
    /// Whether no bytes have been decoded, or the store has found others since.
    var isOutdated = true
    private(set) var error: KeyValueStoreError?
    /// The last valid value, nil for the default value, and its bytes.
    private(set) var valid: AnyBox?
    private(set) var validBytes: EncodedValue?
    /// The generation from which `valid` was stored.
    private var validGeneration = 0
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
    ///
    /// A slice of a file must be copied before, because it would retain all of the file.
    mutating func set(_ encoded: EncodedValue?, _ result: DecodedValue, since generation: Int) {
      // The default handler prints the error of new bytes, even if it is the same.
      if let error, !hasResult(for: encoded) { KeyValueStore.didSucceed(after: [error]) }
      (self.encoded, error, isOutdated) = (encoded, result.error, false)
      if error != nil { return }
      // A change was rejected because of an invalid value, which has been corrected.
      if case .undecodable? = rejection { rejection = nil }
      setValid(encoded, result.value, since: generation)
    }

    /// Caches a valid value, unless a newer one is cached, whose bytes have been replaced.
    mutating func setValid(_ encoded: EncodedValue?, _ value: AnyBox?, since generation: Int) {
      if generation < validGeneration { return }
      // Without a stored value, each property has its own default.
      (valid, validBytes, validGeneration) = (encoded == nil ? nil : value, encoded, generation)
    }
  }

  let key: StoredKey
  /// The type of the boxed value.
  let type: ObjectIdentifier
  /// The tree of the default value, if it is a structure or another dictionary.
  let defaults: ValueTree?
  let decode: @Sendable (EncodedValue) throws(DecodingFailure) -> AnyBox
  /// Whether the app has passed a property to `KeyValueStore.declare`.
  var isPermanent = false
  // The lock excludes other threads, and each access is over before the next one begins.
  @safe @exclusivity(unchecked) var cache = Cache()

  init<Value: Codable & Sendable>(
    _ key: StoredKey, _ type: Value.Type, _ defaults: ValueTree?, _ coding: any StoredFormat
  ) {
    self.key = key
    self.type = ObjectIdentifier(type)
    self.defaults = defaults
    decode = { encoded throws(DecodingFailure) in
      Box(try coding.decoded(type, from: encoded, key: key.string, defaults: defaults))
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

  var isDecoded: Bool { declaration.cache.hasResult(for: encoded) }
}

/// The declarations of a store: those that the app has declared, those in use, and some others.
struct Declarations: Sendable {
  private var byKey: [StoredKey: [Declaration]] = [:]
  /// The number of declarations of all keys.
  private var count = 0
  /// The number of declarations from which those that are not in use are removed.
  private var limit = Declarations.minimumLimit
  private static let minimumLimit = 1000

  subscript(key: StoredKey) -> [Declaration] { byKey[key] ?? [] }

  var keys: some Collection<StoredKey> { byKey.keys }
  var all: [Declaration] { byKey.values.flatMap(\.self) }

  /// Returns the declaration of a key, a type and defaults; it is created if there is none.
  mutating func declaration<Value: Codable & Sendable>(
    of key: StoredKey, _ type: Value.Type, _ defaults: ValueTree?, _ coding: any StoredFormat
  ) -> Declaration {
    let id = ObjectIdentifier(type)
    let known = self[key].first { $0.type == id && $0.defaults == defaults }
    if let known { return known }
    if count >= limit { removeUnused() }
    let new = Declaration(key, type, defaults, coding)
    byKey[key, default: []].append(new)
    count += 1
    return new
  }

  /// Removes the declarations without a property or an observation.
  ///
  /// An app may create properties for any number of keys and default values. The limit that follows
  /// keeps the average time for each of them constant.
  private mutating func removeUnused() {
    // The array does not share the storage of the dictionary, in which references must be unique.
    for key in Array(byKey.keys) {
      byKey[key]?.removeUnused()
      if byKey[key]?.isEmpty ?? false { byKey[key] = nil }
    }
    count = byKey.values.reduce(0) { $0 + $1.count }
    limit = max(Self.minimumLimit, 2 * count)
  }
}

extension [Declaration] {
  fileprivate mutating func removeUnused() {
    for index in indices.reversed() where !self[index].isPermanent {
      if isKnownUniquelyReferenced(&self[index]) { remove(at: index) }
    }
  }
}

/// An observer of the error of a property, and the error with which it was last called.
struct ErrorObserver: Sendable {
  typealias Handler = @Sendable (KeyValueStoreError?) -> Void

  let declaration: Declaration
  let observer: Observer<Handler>
  var last: KeyValueStoreError?
}

// The caches of declarations, which are accessed under the lock of the state.
extension StoreState {
  /// The values of some declarations, by default of all, whose bytes have not been decoded.
  func pending(of chosen: [Declaration]? = nil) -> [PendingValue] {
    (chosen ?? declarations.all)
      .map { PendingValue(declaration: $0, encoded: self[$0.key], generation: generation) }
      .filter { !$0.isDecoded }
      .sorted { $0.declaration.key < $1.declaration.key }
  }

  /// Caches a decoded value, unless the key has other bytes by now; returns whether to report its
  /// error.
  mutating func cache(_ result: DecodedValue, of decoded: PendingValue) -> Bool {
    let (declaration, hasFailed) = (decoded.declaration, result.error != nil)
    let encoded = decoded.encoded?.copied
    guard self[declaration.key] == encoded else {
      if !hasFailed, let past = decoded.generation {
        declaration.cache.setValid(encoded, result.value, since: past)
      }
      // The error of newer bytes is reported instead.
      return hasFailed && decoded.generation == nil
    }
    // A property with another default value may have the same error.
    let isNew = !declarations[declaration.key].contains {
      $0.cache.hasResult(for: encoded) && ($0 === declaration || $0.cache.error == result.error)
    }
    declaration.cache.set(encoded, result, since: generation)
    declaration.cache.generation = sharedGeneration
    notifyErrorObservers()
    return hasFailed && isNew
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
      let isKnown = readError != nil || declaration.cache.hasResult(for: self[declaration.key])
      if !isKnown || error == errorObservers[index].last { continue }
      errorObservers[index].last = error
      let observer = errorObservers[index].observer
      observers.queue.run { observer.handler?(error) }
    }
  }
}
