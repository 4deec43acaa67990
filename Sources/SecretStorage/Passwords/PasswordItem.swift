public import FoundationEssentials

/// A password in a store: the item that matches an identity, read and written as a value.
///
/// It is the projected value of ``GenericPassword`` and ``InternetPassword``, and replaces them
/// where Swift allows no wrapper, as in constants of `Sendable` classes:
///
/// ```swift
/// final class Session: Sendable {
///   let token = PasswordItem<String>(.generic(service: "my.service", account: "peter"))
/// }
/// ```
///
/// **Item.** Without `match: .exact`, a part that the identity omits may have any value. Of several
/// matching items, the oldest is read, updated and removed. Saving adds an item only when none
/// matches.
///
/// **Store.** The store passed to the initialiser, or the default store, which is decided at the
/// first access.
///
/// **Concurrency.** Several threads may use a password at once; a get that begins after a set has
/// returned sees that set. A get or set may wait for the store's disk, but never for a person.
public final class PasswordItem<Value: Codable & Sendable>: Sendable {
  private let ownState: StoredPassword
  private let usesDefaultStore: Bool

  /// Declares a password; the store is not read before the first access.
  ///
  /// - Parameters:
  ///   - identity: The parts that identify the item.
  ///   - match: The meaning of a part that the identity omits.
  ///   - refreshPolicy: The policy by which ``value`` reads and writes the store.
  ///   - defaultValue: The ``value`` while no stored value is known.
  ///   - accessOption: The condition for reading an item that saving adds.
  ///   - accessFlags: The proofs for reading an item that saving adds. A store that cannot check
  ///     them refuses to save, with ``SecretStoreError/unsupported(_:)``.
  ///   - store: The store of the item; nil means the default store.
  public init(
    _ identity: ItemIdentity,
    match: ItemMatch = .any,
    refreshPolicy: RefreshPolicy = .onAccess,
    defaultValue: Value? = nil,
    accessOption: Accessibility = .whenUnlocked,
    accessFlags: AccessFlags = [],
    in store: (any SecretStore)? = nil
  ) {
    let declaration = PasswordDeclaration(
      identity: identity, match: match, refreshPolicy: refreshPolicy,
      defaultValue: defaultValue.map { Box($0) },
      accessControl: AccessControl(accessOption, flags: accessFlags),
      decode: { secret throws(SecretStoreError) in try Box<Value>(decoding: secret) })
    ownState = StoredPassword(declaration, in: store)
    usesDefaultStore = store == nil
  }

  /// The value, read and written according to the ``RefreshPolicy``; nil means that there is none.
  ///
  /// Setting nil removes the item. An access never throws. When the store fails, a get returns the
  /// last known or the default value, a set keeps the value as unsaved, ``status`` and ``error``
  /// change, and ``SecretStores/onFailure`` is called. A get returns an unsaved value. When the
  /// store is locked or denies the item, a get returns the default value, unless the password is
  /// ``RefreshPolicy/manual``.
  ///
  /// A change in place, such as `token?.append("x")`, begins with the stored value, which it reads
  /// if it is unknown; a ``RefreshPolicy/manual`` password reads it once. If that fails, the change
  /// is discarded, ``error`` is set, and ``SecretStores/onFailure`` is called with
  /// ``SecretStorageFailure/Operation/change``.
  public var value: Value? {
    get { Self.value(of: stored.value) }
    set { stored.set(newValue.map { Box($0) }) }
    _modify {
      let stored = stored
      let base = stored.beginChange()
      var value = Self.value(of: base.value)
      // Even if the change throws, because it may be partly made.
      defer { stored.end(base, with: value.map { Box($0) }) }
      yield &value
    }
  }

  static func value(of kept: (any AnyBox)?) -> Value? {
    guard let kept else { return nil }
    // This password made all of its boxes, with this type. A checked cast would cost more than the
    // rest of a get.
    return unsafe unsafeDowncast(kept, to: Box<Value>.self).value
  }

  var stored: StoredPassword {
    guard usesDefaultStore, let override = DefaultStoreOverride.current else { return ownState }
    return override.state(of: self) { StoredPassword(ownState.declaration, in: override.store) }
  }
}

extension PasswordItem: CustomStringConvertible, CustomReflectable {
  /// The type alone, without the identity and the value.
  public var description: String { "PasswordItem<\(Value.self)>" }
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

extension PasswordItem {
  /// The item's attributes, read according to the ``RefreshPolicy``; changes wait for a save.
  ///
  /// A save is `save()`, or the next set of a ``value`` that is not ``RefreshPolicy/manual``. It
  /// writes the attributes that were changed here, and clears those that were set to nil; under
  /// `manual`, load the item first. The ``AccessControl`` of an existing item stays unless it is
  /// set here. Without an item, these are the attributes with which saving will add one.
  public var attributes: ItemAttributes {
    get { stored.attributes }
    set { stored.setAttributes(newValue) }
  }

  /// The time when the item was added, by the store's clock; nil if there is none or it is unknown.
  public var creationDate: Date? { stored.item()?.creationDate }

  /// The time of the last change, by the store's clock; nil if there is none or it is unknown.
  public var modificationDate: Date? { stored.item()?.modificationDate }

  /// The identity of the item; nil if there is none or it is unknown.
  package var foundIdentity: ItemIdentity? { stored.item()?.identity }
}
