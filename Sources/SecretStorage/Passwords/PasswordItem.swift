/// A password in a store: the item that its identity means, read and written as a value.
///
/// It is what ``GenericPassword`` and ``InternetPassword`` give as projected value, and what takes
/// their place where Swift allows no wrapper, as in constants of `Sendable` classes:
///
/// ```swift
/// final class Session: Sendable {
///   let token = PasswordItem<String>(.generic(service: "my.service", account: "peter"))
/// }
/// ```
///
/// **Which item.** Without `match: .exact`, a part that the identity leaves out may be anything; of
/// several items that fit, the one that was created first is meant, to read, to update and to
/// remove. Only when nothing fits does saving add an item.
///
/// **Which store.** The one it is given, or the default store, which is decided at the first
/// access.
///
/// **Concurrency.** All of it may be used from several threads at once; a get that begins after a
/// set returned sees that set. A get or set may wait for the store's disk, never for a person.
public final class PasswordItem<Value: Codable & Sendable>: Sendable {
  private let ownState: StoredPassword
  private let usesDefaultStore: Bool

  /// Declares a password; nothing is read before the first access.
  ///
  /// - Parameters:
  ///   - identity: The parts that tell the item apart.
  ///   - match: What a part means that the identity leaves out.
  ///   - refreshPolicy: When ``value`` reads and writes the store.
  ///   - defaultValue: What ``value`` is as long as no stored value is known.
  ///   - accessOption: When the item can be read, if saving adds it.
  ///   - accessFlags: What a person must prove to read the item, if saving adds it. A store that
  ///     cannot check it refuses to save, with ``SecretStoreError/unsupported(_:)``.
  ///   - store: Where the item is; nil means the default store.
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
      defaultValue: defaultValue.map { Kept($0) },
      accessControl: AccessControl(accessOption, flags: accessFlags),
      decode: { secret throws(SecretStoreError) in try Kept<Value>(decoding: secret) })
    ownState = StoredPassword(declaration, in: store)
    usesDefaultStore = store == nil
  }

  /// The value, read and written as the ``RefreshPolicy`` says; nil means that there is none.
  ///
  /// Setting nil removes the item. An access never throws: when the store fails, a get gives the
  /// last known value or the default one, a set keeps the value as unsaved, ``status`` and
  /// ``error`` tell, and ``SecretStorage/onFailure`` is called. While a value is unsaved, a get gives that one.
  /// When the store is locked, or denies the item, a get gives the default value, unless the
  /// password is ``RefreshPolicy/manual``.
  ///
  /// A change in place, such as `token?.append("x")`, begins with what is stored, read if it is not
  /// known; a ``RefreshPolicy/manual`` password reads it once. If that fails, the change is given
  /// up: nothing of it is kept or written, ``error`` tells, and ``SecretStorage/onFailure`` is
  /// called with ``PasswordFailure/Operation/change``.
  public var value: Value? {
    get { Self.value(of: stored.value) }
    set { stored.set(newValue.map { Kept($0) }) }
    _modify {
      let stored = stored
      let base = stored.beginChange()
      var value = Self.value(of: base.value)
      // Also when the change throws: it may have been made in part.
      defer { stored.end(base, with: value.map { Kept($0) }) }
      yield &value
    }
  }

  static func value(of kept: (any KeptValue)?) -> Value? {
    guard let kept else { return nil }
    // Everything kept for this password was made by it, as this type; a checked cast costs more
    // than all the rest of a get.
    return unsafe unsafeDowncast(kept, to: Kept<Value>.self).value
  }

  var stored: StoredPassword {
    guard usesDefaultStore, let override = DefaultStoreOverride.current else { return ownState }
    return override.state(of: self) { StoredPassword(ownState.declaration, in: override.store) }
  }
}

extension PasswordItem: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The type alone: neither the identity nor the value.
  public var description: String { "PasswordItem<\(Value.self)>" }
  /// The type alone: neither the identity nor the value.
  public var debugDescription: String { description }
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
