import Concurrency
import FoundationEssentials
public import SecretStorage
import StorageInternals
import ValueFormats

/// The base class of password properties, which reads and writes a value and its attributes.
///
/// Only one thread may use it at a time; `PasswordItem` supports any number of threads.
@available(*, deprecated, message: "Use `PasswordItem`, the projected value of SecretStorage.")
open class KeychainItemPropertyWrapper<T: Codable>: SingleValueKeychainItem {
  /// The policy for when the property reads and writes its item.
  public let refreshPolicy: KeychainDataRefreshPolicy
  /// Whether the value is the one last loaded, saved or deleted.
  @available(*, deprecated, message: "Use `hasUnsavedChanges` of the projected value.")
  public private(set) var wrappedValueUnchanged = false
  /// The error of the last access, from the store; nil if it succeeded or there was none.
  @available(*, deprecated, message: "Use `error` of the projected value.")
  public var storeError: SecretStoreError? { Fork.isChild ? .forked : lastError }

  private var lastError: SecretStoreError?
  private let defaultValue: T?
  private let item: PasswordItem<Data>
  private var cachedValue: T?
  /// Whether the value was loaded, saved, deleted or set, so that it can be changed in place.
  private var isCacheValid = false
  private var isUnsaved: Bool { isCacheValid && !wrappedValueUnchanged }
  /// Whether the property's getter or setter has begun the current access.
  private var isImplicit = false
  private var reportedFailures: [SecretStorageFailure] = []

  init(_ identity: ItemIdentity, refreshPolicy: KeychainDataRefreshPolicy, defaultValue: T?) {
    self.refreshPolicy = refreshPolicy
    self.defaultValue = defaultValue
    item = PasswordItem(identity, refreshPolicy: .manual)
    super.init(identity)
  }

  /// Creates a property of an app's subclass.
  @available(
    *, unavailable,
    message: "Subclass `GenericPassword` or `InternetPassword`, which declare the item's identity."
  )
  public convenience init(refreshPolicy: KeychainDataRefreshPolicy, defaultValue: T? = nil) {
    fatalError()
  }

  /// The value, or the default one.
  ///
  /// Accesses never throw or prompt the user. If the store fails, a get returns the last loaded
  /// value, a set keeps the value in memory, and an in-place change of an unreadable value is
  /// discarded. In each case, ``storeError`` is set, and `SecretStores.onFailure` is called.
  open var wrappedValue: T? {
    get {
      if Fork.isChild { return defaultValue }
      if refreshPolicy == .onAccess, !isUnsaved { implicitly(.read, loadFromKeychain) }
      return cachedValue ?? defaultValue
    }
    set {
      if Fork.isChild { return Fork.report() }
      cachedValue = newValue
      isCacheValid = true
      wrappedValueUnchanged = false
      if refreshPolicy == .onAccess { implicitly(.write, saveToKeychain) }
    }
    _modify {
      let isReadable = Fork.isChild || readBase()
      var value = Fork.isChild ? defaultValue : cachedValue ?? defaultValue
      // An optional chain that ended at nil changed nothing, and setting nil is a removal.
      let wasNil = value == nil
      defer { if isReadable, !wasNil || value != nil { wrappedValue = value } }
      yield &value
    }
  }

  /// Reads the item into the value and the attributes; without an item, both become nil.
  ///
  /// If the item requires authentication, the user is prompted while the calling thread blocks; the
  /// store's authenticator must not need that thread. In a task, the load is denied instead.
  ///
  /// - Throws: A ``KeychainError``; in this case, nothing changes.
  @available(*, deprecated, message: "Use `load()` of the projected value.")
  open func loadFromKeychain() throws {
    try explicitly {
      let value = try read(mayPrompt: !isImplicit)
      copyAttributes(of: value == nil ? nil : item)
      markAsStored(value)
    }
  }

  /// Writes the value and the attributes; a value of nil removes the item.
  ///
  /// If items match, the oldest is changed; otherwise, an item is added.
  ///
  /// - Throws: A ``KeychainError``; in this case, nothing is saved.
  @available(*, deprecated, message: "Use `save()` of the projected value.")
  open func saveToKeychain() throws {
    guard let cachedValue else { return try deleteKeychain() }
    try explicitly { try write(cachedValue) }
  }

  /// Removes the oldest matching item, if any, and sets the value and the attributes to nil.
  ///
  /// - Throws: A ``KeychainError``; in this case, nothing changes.
  @available(*, deprecated, message: "Use `remove()` of the projected value.")
  open func deleteKeychain() throws {
    try explicitly {
      try item.remove()
      copyAttributes(of: nil)
      markAsStored(nil)
    }
  }

  /// Reads the value before an in-place change, unless it is cached; returns whether it is known.
  private func readBase() -> Bool {
    if refreshPolicy == .onAccess ? isUnsaved : isCacheValid { return true }
    return implicitly(.change) {
      if refreshPolicy == .onAccess { return try loadFromKeychain() }
      try explicitly {
        // The attributes that the app has set are kept.
        cachedValue = try read(mayPrompt: false)
        isCacheValid = true
      }
    }
  }

  private func read(mayPrompt: Bool) throws -> T? {
    guard let data = try mayPrompt ? item.loadBlocking() : item.load() else { return nil }
    do throws(ValueCodingError) {
      return try ValueCoder().decode(T.self, from: Array(data))
    } catch {
      throw SecretStoreError.undecodable("\(T.self)")
    }
  }

  private func write(_ value: T) throws {
    let data: Data
    do throws(ValueCodingError) {
      data = Data(try ValueCoder().encode(value))
    } catch {
      throw KeychainFailure(
        cause: .invalid(error.encodingFailure), reported: .generalEncodingFailure)
    }
    let access = try requestedAccessControl()
    // A new object writes the attributes that are not nil; the one used for reading would write the
    // differences from its last read. The access control must differ, too.
    let isDefault = access?.accessibility == .whenUnlocked
    let item = PasswordItem<Data>(
      identity, refreshPolicy: .manual, accessOption: isDefault ? .afterFirstUnlock : .whenUnlocked)
    // With `onAccess`, as in the older package, each get reloads attributes that were set to nil.
    if refreshPolicy == .manual { item.attributes = try attributes(access, isFilled: true) }
    item.attributes = try attributes(access)
    item.value = data
    do {
      try item.save()
    } catch {
      if case SecretStoreError.unsupported = error, access?.flags.isEmpty == false {
        throw KeychainFailure(accessControl: error)
      }
      throw error
    }
    didSave(item)
    markAsStored(value)
  }

  private func markAsStored(_ value: T?) {
    cachedValue = value
    isCacheValid = true
    wrappedValueUnchanged = true
    lastError = nil
    SecretStores.didSucceed(after: reportedFailures)
    reportedFailures = []
  }

  /// Runs an access of the app, and throws its error as a ``KeychainError``.
  private func explicitly(_ access: () throws -> Void) throws {
    do {
      try access()
    } catch {
      let failure = error as? KeychainFailure ?? KeychainFailure(error)
      lastError = failure.cause
      throw failure.reported
    }
  }

  /// Runs an access of the getter or setter; reports an error, and returns whether there was none.
  @discardableResult
  private func implicitly(
    _ operation: SecretStorageFailure.Operation, _ access: () throws -> Void
  ) -> Bool {
    isImplicit = true
    defer { isImplicit = false }
    do {
      try access()
      return true
    } catch {
      // An error thrown by a subclass may contain a secret.
      let cause = error is KeychainError ? lastError : nil
      let failure = SecretStorageFailure(
        operation, cause ?? .unavailable("\(Self.self) threw an error of its own."))
      lastError = failure.error
      // A discarded change is lost, so each one is reported.
      if reportedFailures.addFailure(failure) || operation == .change {
        SecretStores.onFailure(failure)
      }
      return false
    }
  }
}

/// The policy that determines when a password property accesses its item.
@available(*, deprecated, message: "Use `RefreshPolicy`.")
public enum KeychainDataRefreshPolicy: Sendable {
  /// Only explicit loads, saves and removals use the store; in-place changes read an unknown value.
  case manual
  /// The property uses the store at each get and set.
  case onAccess
}
