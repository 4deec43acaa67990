import Concurrency
public import FoundationEssentials

/// A password in a store: the item that matches an identity.
///
/// It is the projected value of ``GenericPassword`` and ``InternetPassword``, and replaces them
/// where Swift does not allow property wrappers, for example in `Sendable` classes:
///
/// ```swift
/// final class Session: Sendable {
///   let token = PasswordItem<String>(.generic(service: "my.service", account: "peter"))
/// }
/// ```
///
/// Unless `match` is `.exact`, a part that the identity omits may have any value. If several items
/// match, the oldest one is read, updated and removed. Saving adds an item only if none matches.
/// The default store is fixed at the first access.
///
/// A password may be used from several threads. A get that begins after a set has returned sees the
/// new value. A get or set may wait for the store's disk, but never for the user.
public final class PasswordItem<Value: Codable & Sendable>: Sendable {
  private let ownState: StoredPassword

  /// Declares a password, without accessing the store.
  ///
  /// - Parameters:
  ///   - identity: The identity of the item.
  ///   - match: The meaning of a part that the identity omits.
  ///   - refreshPolicy: The policy for when ``value`` reads and writes the store.
  ///   - defaultValue: The ``value`` while no stored value is available.
  ///   - accessOption: The condition under which an added item can be read.
  ///   - accessFlags: The proofs that reading an added item needs. If the store cannot check them,
  ///     saving throws ``SecretStoreError/unsupported(_:)``.
  ///   - store: The store of the item; nil for the default store.
  public init(
    _ identity: ItemIdentity, match: ItemMatch = .any, refreshPolicy: RefreshPolicy = .onAccess,
    defaultValue: Value? = nil, accessOption: Accessibility = .whenUnlocked,
    accessFlags: AccessFlags = [], in store: (any SecretStore)? = nil
  ) {
    let declaration = PasswordDeclaration(
      identity: identity, match: match, refreshPolicy: refreshPolicy,
      defaultValue: defaultValue.map { Box($0) },
      accessControl: AccessControl(accessOption, flags: accessFlags),
      decode: { secret throws(SecretStoreError) in try Box<Value>(decoding: secret) })
    ownState = StoredPassword(declaration, in: store)
  }

  /// The value, which is read and written according to the ``RefreshPolicy``; nil if there is none.
  ///
  /// Setting nil removes the item. Accesses never throw. If the store fails, a get returns the last
  /// known value or the default value, a set keeps the new value unsaved, which gets return,
  /// ``status`` and ``error`` change, and ``SecretStores/onFailure`` is called. If the store is
  /// locked or denies the item, a get returns the default value, unless the policy is
  /// ``RefreshPolicy/manual``. In a forked child, it does so too, and a set is only reported.
  ///
  /// An in-place change, such as `token?.append("x")`, begins with the stored value, which it reads
  /// if necessary; under ``RefreshPolicy/manual``, only if no value was loaded or set. If reading
  /// fails, the change is discarded, ``error`` is set, and ``SecretStores/onFailure`` is called
  /// with ``SecretStorageFailure/Operation/change``.
  public var value: Value? {
    get { Self.value(of: stored.value) }
    set { stored.set(newValue.map { Box($0) }) }
    _modify {
      let stored = stored
      let initial = stored.beginChange()
      var value = Self.value(of: initial.value)
      // Called even if the change throws, because it may be partially applied.
      defer { stored.endChange(of: initial, with: value.map { Box($0) }) }
      yield &value
    }
  }

  static func value(of box: (any AnyBox)?) -> Value? {
    guard let box else { return nil }
    // All boxes of a password have this type. A checked cast would dominate the time of a get.
    return unsafe unsafeDowncast(box, to: Box<Value>.self).value
  }

  var stored: StoredPassword {
    guard ownState.givenStore == nil, !Fork.isChild, let override = DefaultStoreOverride.current
    else { return ownState }
    return override.state(of: self) { StoredPassword(ownState.declaration, in: override.store) }
  }
}

extension PasswordItem: CustomStringConvertible, CustomReflectable {
  /// The type, without the identity and the value.
  public var description: String { "PasswordItem<\(Value.self)>" }
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

extension PasswordItem {
  /// The attributes of the item, which are read according to the ``RefreshPolicy``.
  ///
  /// Changes stay unsaved until `save()` is called or, unless the policy is
  /// ``RefreshPolicy/manual``, until the ``value`` is set. Saving writes the changed attributes and
  /// removes those that were set to nil; under `manual`, load the item before you change them. The
  /// ``AccessControl`` of an existing item does not change unless it is set here. If there is no
  /// item, these are the attributes of the item that saving adds.
  public var attributes: ItemAttributes {
    get { stored.attributes }
    set { stored.setAttributes(newValue) }
  }

  /// The date when the item was added, by the store's clock; nil if it is unknown or there is no
  /// item.
  public var creationDate: Date? { stored.item()?.creationDate }

  /// The date of the last change, by the store's clock; nil if it is unknown or there is no item.
  public var modificationDate: Date? { stored.item()?.modificationDate }

  package var foundIdentity: ItemIdentity? { stored.item()?.identity }
}

/// The meaning of a part that a password's identity omits.
public enum ItemMatch: Hashable, Sendable {
  /// The part may have any value. If several items match, the oldest one is used.
  case any
  /// The part must be absent.
  case exact
}

/// The policy for when a password property reads and writes its store.
public enum RefreshPolicy: Hashable, Sendable {
  /// Each get reads the store, or finds it unchanged since the last one; each set writes it.
  case onAccess
  /// Only `load()`, `save()` and `remove()` use the store.
  ///
  /// A get returns the value that was last loaded or set. An in-place change reads the store if no
  /// value was loaded or set.
  case manual
  /// A get reads the store if a change was reported since the last read; each set writes it.
  ///
  /// If the kernel cannot report changes by other processes promptly, each get checks for changes.
  case onChange
}

/// The result of the last access to a password.
public enum PasswordStatus: Hashable, Sendable {
  /// There is an item with a valid value.
  case value
  /// A complete search found no item.
  case absent
  /// The store is locked, so it is unknown whether there is an item.
  case locked
  /// The item exists, but may not be read now.
  case denied
  /// The store failed; the string is the description of the error.
  case unavailable(String)
  /// The item is damaged, or its value is not valid for the password's type.
  case corrupted
  /// The process is a forked child of one that has used this package, in which no store works.
  case forked
}

extension PasswordStatus {
  init(_ error: SecretStoreError) {
    self =
      switch error {
      case .locked, .wrongPassphrase, .wrongKey: .locked
      case .denied, .cancelled, .wrongApplicationPassword: .denied
      case .undecodable, .corrupted: .corrupted
      case .forked: .forked
      default: .unavailable(error.description)
      }
  }
}
