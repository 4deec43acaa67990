import FoundationEssentials
public import SecretStorage
import StorageInternals

/// What the properties of both classes of passwords do: they read and write a value and its
/// attributes.
///
/// The object is for one thread at a time; `PasswordItem` is for any number.
@available(*, deprecated, message: "Use `PasswordItem`, the projected value of SecretStorage.")
open class KeychainItemPropertyWrapper<T: Codable>: SingleValueKeychainItem {
  /// When the property reads and writes its item.
  public let refreshPolicy: KeychainDataRefreshPolicy
  /// Whether the value is the one that was last loaded, saved or deleted.
  @available(*, deprecated, message: "Use `hasUnsavedChanges` of the projected value.")
  public private(set) var wrappedValueUnchanged = false
  /// Why the last access failed, in the words of the store; nil if it succeeded or there was none.
  @available(*, deprecated, message: "Use `error` of the projected value.")
  public private(set) var storeError: SecretStoreError?

  private let identity: ItemIdentity
  private let defaultValue: T?
  private let item: PasswordItem<Data>
  private var cachedValue: T?
  /// Whether the value was loaded, saved, deleted or set, so that it can be changed in place.
  private var isKnown = false
  /// Whether a write failed that setting the property began: then the value is here alone.
  private var isUnsaved = false
  /// Whether the access under way is one that using the property began.
  private var isImplicit = false
  /// The last failure told, until a success.
  private var told: PasswordFailure?

  init(_ identity: ItemIdentity, refreshPolicy: KeychainDataRefreshPolicy, defaultValue: T?) {
    self.identity = identity
    self.refreshPolicy = refreshPolicy
    self.defaultValue = defaultValue
    item = PasswordItem(identity, refreshPolicy: .manual)
  }

  /// The value, or the default one.
  ///
  /// Never throws and never asks a person: when the store fails, a get gives the last known value,
  /// a set keeps the value, ``storeError`` tells, and `SecretStorage.onFailure` is called. A change
  /// in place of a value that cannot be read is given up, and told in the same way.
  open var wrappedValue: T? {
    get {
      if refreshPolicy == .onAccess, !isUnsaved {
        implicitly(.read, loadFromKeychain)
      }
      return cachedValue ?? defaultValue
    }
    set {
      cachedValue = newValue
      isKnown = true
      wrappedValueUnchanged = false
      guard refreshPolicy == .onAccess else { return }
      isUnsaved = true
      implicitly(.write, saveToKeychain)
    }
    _modify {
      let isReadable = readBase()
      var value = cachedValue ?? defaultValue
      // An optional chain that ended at nil changed nothing, and setting nil is a removal.
      let wasNil = value == nil
      defer { if isReadable, !wasNil || value != nil { wrappedValue = value } }
      yield &value
    }
  }

  /// Reads the item, and makes what it holds the value and the attributes; without an item, both
  /// are nil.
  ///
  /// If the item needs a proof, the store's authenticator asks for it while the thread waits, which
  /// must not be the one that the authenticator needs. In a task nobody is asked, and the loading
  /// is denied.
  ///
  /// - Throws: ``KeychainError``; nothing changes then.
  @available(*, deprecated, message: "Use `load()` of the projected value.")
  open func loadFromKeychain() throws {
    try explicitly { () throws(KeychainFailure) in try load(asking: !isImplicit) }
  }

  /// Writes the value and the attributes; a value of nil removes the item.
  ///
  /// Where an item fits, the oldest that does is changed, otherwise one is added. An attribute that
  /// is nil is left as it is in the store, unless it was set to nil since the last access and the
  /// policy is
  /// ``KeychainDataRefreshPolicy/manual``: then it is cleared.
  ///
  /// - Throws: ``KeychainError``; everything stays unsaved then.
  @available(*, deprecated, message: "Use `save()` of the projected value.")
  open func saveToKeychain() throws {
    guard let cachedValue else { return try deleteKeychain() }
    try explicitly { () throws(KeychainFailure) in try write(cachedValue) }
  }

  /// Removes the item, of several that fit the oldest, and makes the value and the attributes nil.
  ///
  /// When there is no item, that is a success.
  ///
  /// - Throws: ``KeychainError``; nothing changes then.
  @available(*, deprecated, message: "Use `remove()` of the projected value.")
  open func deleteKeychain() throws {
    try explicitly(remove)
  }

  /// Reads what a change in place begins with, unless it is known; false if that fails.
  private func readBase() -> Bool {
    if refreshPolicy == .onAccess ? isUnsaved : isKnown { return true }
    return implicitly(.change) {
      if refreshPolicy == .onAccess { return try loadFromKeychain() }
      try explicitly { () throws(KeychainFailure) in
        // The attributes that the app noted since are not given up for it.
        cachedValue = try read(asking: false)
        isKnown = true
      }
    }
  }

  private func load(asking: Bool) throws(KeychainFailure) {
    let value = try read(asking: asking)
    take(value == nil ? nil : item)
    settle(value)
  }

  private func read(asking: Bool) throws(KeychainFailure) -> T? {
    let data: Data?
    do throws(SecretStoreError) {
      data = try asking ? item.loadAskingAndWaiting() : item.load()
    } catch {
      throw KeychainFailure(error)
    }
    return try data.map { data throws(KeychainFailure) in try decode(data) }
  }

  private func write(_ value: T) throws(KeychainFailure) {
    let data = try encode(value)
    let access = try wantedAccess()
    // Another object than the one that reads. Of the attributes, this one writes those that differ
    // from none at all, which are those that are not nil; that one would write those that differ
    // from its last reading, and the store may have changed since. The access control must differ,
    // too.
    let isDefault = access?.accessibility == .whenUnlocked
    let item = PasswordItem<Data>(
      identity, refreshPolicy: .manual,
      accessOption: isDefault ? .afterFirstUnlock : .whenUnlocked)
    var attributes = try noted.attributes()
    if let access { attributes.accessControl = access }
    // With the other policy, as it was: each get loads again what was set to nil.
    if refreshPolicy == .manual { item.attributes = noted.filled(attributes) }
    item.attributes = attributes
    item.value = data
    do throws(SecretStoreError) {
      try item.save()
    } catch {
      let isRefused = if case .unsupported = error { access?.flags.isEmpty == false } else { false }
      throw isRefused ? KeychainFailure(accessControl: error) : KeychainFailure(error)
    }
    didSave(item)
    settle(value)
  }

  private func remove() throws(KeychainFailure) {
    do throws(SecretStoreError) {
      try item.remove()
    } catch {
      throw KeychainFailure(error)
    }
    take(nil)
    settle(nil)
  }

  /// Takes the value as the one in the store.
  private func settle(_ value: T?) {
    cachedValue = value
    isKnown = true
    wrappedValueUnchanged = true
    isUnsaved = false
    storeError = nil
    told = nil
  }

  private func explicitly(_ access: () throws(KeychainFailure) -> Void) throws {
    do throws(KeychainFailure) {
      try access()
    } catch {
      storeError = error.cause
      throw error.error
    }
  }

  @discardableResult
  private func implicitly(
    _ operation: PasswordFailure.Operation, _ access: () throws -> Void
  ) -> Bool {
    isImplicit = true
    defer { isImplicit = false }
    do {
      try access()
      return true
    } catch {
      // What a subclass throws of its own may show a secret.
      let cause = error is KeychainError ? storeError : nil
      let failure = PasswordFailure(
        operation, cause ?? .unavailable("\(Self.self) threw an error of its own"))
      storeError = failure.error
      // Each change that is given up is lost.
      if told == failure, operation != .change { return false }
      told = failure
      SecretStorage.onFailure(failure)
      return false
    }
  }

  private func encode(_ value: T) throws(KeychainFailure) -> Data {
    do throws(ValueCodingError) {
      return Data(try ValueCoder().encode(value))
    } catch {
      throw KeychainFailure(encoding: error)
    }
  }

  private func decode(_ data: Data) throws(KeychainFailure) -> T {
    do throws(ValueCodingError) {
      return try ValueCoder().decode(T.self, from: Array(data))
    } catch {
      throw KeychainFailure(decoding: T.self)
    }
  }
}
