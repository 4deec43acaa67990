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
    /// Whether no bytes have been decoded, or the store has found others since.
    var isOutdated = true
    /// The error of the bytes that were last decoded; nil if they are those of `valid`.
    private var failure: (error: KeyValueStoreError, encoded: EncodedValue?)?
    var error: KeyValueStoreError? { failure?.error }
    /// The last valid value, nil for the default value, and its bytes.
    private(set) var valid: AnyBox?
    private(set) var validBytes: EncodedValue?
    /// The generation from which `valid` was stored.
    private var validGeneration = 0
    /// A value that a thread saves, and its bytes; once it has been cached, the replaced value.
    typealias Saving = (value: AnyBox?, encoded: EncodedValue?, isCached: Bool)
    var saving: Saving?
    /// The reason why the last assignment was rejected.
    var rejection: KeyValueStoreError? {
      didSet {
        // The store lets any other reason be printed again.
        if rejection == nil, let oldValue, case .unencodable = oldValue {
          KeyValueStore.didSucceed(after: [oldValue])
        }
      }
    }

    /// Whether the result for these bytes is cached.
    func hasResult(for encoded: EncodedValue?) -> Bool {
      !isOutdated && (failure == nil ? validBytes : failure?.encoded) == encoded
    }

    /// Returns whether the result for these bytes of the newest contents is cached.
    ///
    /// The cached bytes are replaced by these equal ones, which later comparisons need not read,
    /// and which retain no older file.
    mutating func findResult(for encoded: EncodedValue?, in generation: Int) -> Bool {
      if let saved = saving, !saved.isCached, saved.encoded == encoded, !hasResult(for: encoded) {
        // The replaced value is not released here, because its `deinit` may use the store.
        saving = (valid, nil, true)
        set(encoded, (saved.value, nil), since: generation)
      }
      if !hasResult(for: encoded) { return false }
      if failure == nil {
        (validBytes, validGeneration) = (encoded, generation)
      } else {
        failure?.encoded = encoded
      }
      return true
    }

    /// Caches the result for the newest bytes, which are stored since a generation.
    ///
    /// The caller retains the replaced value, and releases it without the lock.
    mutating func set(_ encoded: EncodedValue?, _ result: DecodedValue, since generation: Int) {
      // The default handler prints the error of new bytes, even if it is the same.
      if let error, !hasResult(for: encoded) { KeyValueStore.didSucceed(after: [error]) }
      isOutdated = false
      failure = result.error.map { ($0, encoded) }
      if failure != nil { return }
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

    /// Replaces the bytes of the valid value by a copy of them, unless others are cached by now.
    mutating func replaceValidBytes(_ bytes: EncodedValue?, by copy: EncodedValue?) {
      if validBytes == bytes { validBytes = copy }
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
  ///
  /// The removed ones are to be released without the lock, because values of the app are.
  mutating func declaration<Value: Codable & Sendable>(
    of key: StoredKey, _ type: Value.Type, _ defaults: ValueTree?, _ coding: any StoredFormat
  ) -> (declaration: Declaration, removed: [Declaration]) {
    let id = ObjectIdentifier(type)
    let known = self[key].first { $0.type == id && $0.defaults == defaults }
    if let known { return (known, []) }
    let removed = count >= limit ? removeUnused() : []
    let new = Declaration(key, type, defaults, coding)
    byKey[key, default: []].append(new)
    count += 1
    return (new, removed)
  }

  /// Removes and returns the declarations without a property or an observation.
  ///
  /// An app may create properties for any number of keys and default values. The limit that follows
  /// keeps the average time for each of them constant.
  private mutating func removeUnused() -> [Declaration] {
    var removed: [Declaration] = []
    // The array does not share the storage of the dictionary, in which references must be unique.
    for key in Array(byKey.keys) {
      removed += byKey[key]?.removeUnused() ?? []
      if byKey[key]?.isEmpty ?? false { byKey[key] = nil }
    }
    count = byKey.values.reduce(0) { $0 + $1.count }
    limit = max(Self.minimumLimit, 2 * count)
    return removed
  }
}

extension [Declaration] {
  fileprivate mutating func removeUnused() -> [Declaration] {
    var removed: [Declaration] = []
    for index in indices.reversed() where !self[index].isPermanent {
      if isKnownUniquelyReferenced(&self[index]) { removed.append(remove(at: index)) }
    }
    return removed
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
    (chosen ?? declarations.all).compactMap { declaration in
      let encoded = self[declaration.key]
      if declaration.cache.findResult(for: encoded, in: generation) { return nil }
      return PendingValue(declaration: declaration, encoded: encoded, generation: generation)
    }
    .sorted { $0.declaration.key < $1.declaration.key }
  }

  /// Caches a decoded value, unless the key has other bytes by now; returns whether to report its
  /// error.
  func cache(_ result: DecodedValue, of decoded: PendingValue) -> Bool {
    let (declaration, encoded) = (decoded.declaration, decoded.encoded)
    let (newest, message) = (self[declaration.key], result.error?.description)
    guard newest == encoded else {
      // The bytes may have been replaced and set again, so that a newer value is cached.
      let isCurrent = declaration.cache.error == nil && declaration.cache.hasResult(for: newest)
      if message == nil, !isCurrent, let past = decoded.generation {
        declaration.cache.setValid(encoded?.copied, result.value, since: past)
      }
      // The error of newer bytes is reported instead, and that of a transaction's file at its end.
      return message != nil && decoded.generation == nil
        && ownTransaction?.draft.stored[declaration.key] != encoded
    }
    // A property of another type, or with another default value, may have the same message.
    let isNew =
      message != nil
      && !declarations[declaration.key].contains {
        $0.cache.hasResult(for: encoded)
          && ($0 === declaration || $0.cache.error?.description == message)
      }
    declaration.cache.set(encoded, result, since: generation)
    declaration.cache.generation = sharedGeneration
    return isNew
  }

  /// The generation for which a value can be cached; nil while each access must check.
  var sharedGeneration: Int? { transaction == nil && !needsReading ? generation : nil }

  /// The error of a property for threads that are not in a transaction.
  func error(of declaration: Declaration) -> KeyValueStoreError? {
    declaration.cache.rejection ?? declaration.cache.error ?? storingError(of: declaration.key)
  }

  /// Whether the reason to reject a change still holds.
  func isCurrent(_ rejection: KeyValueStoreError, of declaration: Declaration) -> Bool {
    switch rejection {
    case .unencodable: true
    case .undecodable: declaration.cache.error != nil
    default: readError != nil
    }
  }

  /// The error of a key whose value is valid.
  func storingError(of key: StoredKey) -> KeyValueStoreError? {
    readError ?? (unsaved[key] == nil ? nil : writeError)
  }

  /// Schedules the calls of the observers of errors that have changed, by default of all keys.
  mutating func notifyErrorObservers(of key: StoredKey? = nil) {
    for index in errorObservers.indices {
      let declaration = errorObservers[index].declaration
      if let key, key != declaration.key { continue }
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
