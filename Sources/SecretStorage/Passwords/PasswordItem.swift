import Concurrency
public import FoundationEssentials
import StorageInternals

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
      identity: identity, query: match == .any ? .matching(identity) : .exactly(identity),
      refreshPolicy: refreshPolicy, defaultValue: defaultValue.map { Box($0) },
      accessControl: AccessControl(accessOption, flags: accessFlags),
      decode: { secret throws(SecretStoreError) in Box<Value>(try secret.decoded()) },
      encode: { box throws(SecretStoreError) in try Secret(encoding: Self.value(of: box)) })
    ownState = StoredPassword(declaration, in: store)
  }

  /// The value, which is read and written according to the ``RefreshPolicy``; nil if there is none.
  ///
  /// Setting nil removes the item. Accesses never throw. If the store fails, a get returns the last
  /// known value or the default value. A set that fails keeps the new value unsaved, and gets
  /// return it. In both cases, ``status`` and ``error`` change, and ``SecretStores/onFailure`` is
  /// called. If the store is locked or denies the item, a get returns the default value, unless the
  /// policy is ``RefreshPolicy/manual``. In a forked child, a get returns the default value, and a
  /// set is reported and discarded.
  ///
  /// An in-place change, such as `token?.append("x")`, begins with the stored value, which it reads
  /// if necessary; under ``RefreshPolicy/manual``, only if no value was loaded or set. If reading
  /// fails, the change is discarded, ``error`` is set, and ``SecretStores/onFailure`` is called
  /// with ``SecretStorageFailure/Operation/change``.
  public var value: Value? {
    get { stored.value.map(Self.value) }
    set { stored.set(newValue.map { Box($0) }) }
    _modify {
      let stored = stored
      let initial = stored.beginChange()
      var value = initial.value.map(Self.value)
      // The change ends even if it throws, because it may be partially applied.
      defer { stored.endChange(of: initial, with: value.map { Box($0) }) }
      yield &value
    }
  }

  /// Returns the value in a box, which must have this password's type.
  static func value(of box: any AnyBox) -> Value {
    // All boxes of a password have this type. A checked cast would dominate the time of a get.
    unsafe unsafeDowncast(box, to: Box<Value>.self).value
  }

  /// The state for the store of the current `withDefaultStore` call, unless a store is specified.
  var stored: StoredPassword {
    guard ownState.givenStore == nil, !Fork.isChild, let scope = DefaultStore.scopes.current
    else { return ownState }
    return scope.state(of: self) { StoredPassword(ownState.declaration, in: $0) }
  }

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

  /// The date when the item was added, by the store's clock; nil if unknown or there is no item.
  public var creationDate: Date? { stored.item()?.creationDate }

  /// The date of the last change, by the store's clock; nil if it is unknown or there is no item.
  public var modificationDate: Date? { stored.item()?.modificationDate }

  package var foundIdentity: ItemIdentity? { stored.item()?.identity }
}

extension PasswordItem: CustomStringConvertible, CustomReflectable {
  /// The type, without the identity and the value.
  public var description: String { "PasswordItem<\(Value.self)>" }
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

/// The meaning of a part that a password's identity omits.
public enum ItemMatch: Hashable, Sendable {
  /// The part may have any value. If several items match, the oldest one is used.
  case any
  /// The part must be absent.
  case exact
}
