import Concurrency
import StorageInternals
import Synchronization
import ValueFormats

/// The setting of a ``StoredValue``: a ``Setting``, or a ``StandardSetting``.
///
/// A protocol, because taking the setting out of an enumeration would retain it in each getter.
protocol SettingReference: AnyObject, Sendable {
  var name: String { get }
  /// The value in the store of this access.
  var value: AnyBox { get }
  /// The setting in the store of this access.
  var current: Setting { get }
}

extension Setting: SettingReference {
  var name: String { key.string }
  var current: Setting { self }
}

extension StandardSetting: SettingReference {
  var name: String { key }
}

/// A setting of the standard store, with its own cache for each store that is the standard one.
@safe final class StandardSetting: Sendable {
  let key: String
  private let make: @Sendable (KeyValueStore) -> Setting
  private let declaration: Declaration
  /// The setting in the standard store of the process, which is set once and retained.
  ///
  /// An `AtomicLazyReference` takes as long as the rest of a getter: the library's code for it is
  /// generic at run time.
  private let settingOfProcess = unsafe Atomic<Unmanaged<Setting>?>(nil)

  init<Value: Codable & Sendable>(_ key: String, defaultValue: Value) {
    self.key = key
    make = { Setting(key, defaultValue: defaultValue, in: $0) }
    declaration = Declaration { Property(key, defaultValue: defaultValue, format: $0) }
  }

  /// The value in the store that is now the standard one.
  var value: AnyBox {
    // Retaining the setting would take a fifth of a getter.
    if !StoreScopes.wereUsed, let setting = unsafe settingOfProcess.load(ordering: .acquiring) {
      return unsafe setting._withUnsafeGuaranteedRef { $0.value }
    }
    return current.value
  }

  /// The setting in the store that is now the standard one, which becomes permanent outside scopes.
  var current: Setting {
    if StoreScopes.wereUsed, let scope = KeyValueStore.defaultStore.scope {
      return scope.state(of: self) { make(scope.store) }
    }
    // The object keeps its reference until it is released itself.
    if let setting = unsafe settingOfProcess.load(ordering: .acquiring) {
      return unsafe setting.takeUnretainedValue()
    }
    return createdSetting(in: KeyValueStore.defaultStore.resolved)
  }

  private func createdSetting(in store: KeyValueStore) -> Setting {
    let new = make(store)
    let reference = unsafe Unmanaged.passRetained(new)
    let (isNew, existing) = unsafe settingOfProcess.compareExchange(
      expected: nil, desired: reference, ordering: .acquiringAndReleasing)
    if isNew { return new }
    unsafe reference.release()
    return unsafe existing?.takeUnretainedValue() ?? new
  }

  deinit {
    unsafe settingOfProcess.load(ordering: .acquiring)?.release()
  }

  /// Returns the properties whose values a store must check although they were never accessed, if
  /// it is the standard store on this thread.
  static func unusedProperties(of store: KeyValueStore) -> [Property] {
    let standard = KeyValueStore.defaultStore
    let current = standard.taskScope?.store ?? standard.current?.store
    guard store === current ?? standard.existingFallback else { return [] }
    return Declaration.existing(in: standard.taskScope).map { $0.property(store.format) }
  }
}

/// The declaration of a property of the standard store; an object of its own for weak references.
private final class Declaration: Sendable {
  private struct Reference: Sendable {
    weak let declaration: Declaration?
  }

  private static let all = Lock([ObjectIdentifier: Reference](), inForkedChild: { [:] })

  let property: @Sendable (any StoredFormat) -> Property
  /// Whether the property was created in a scope, such as a test.
  private let isInScope: Bool
  private weak let scope: DefaultStore<KeyValueStore>.Scope?

  init(_ property: @escaping @Sendable (any StoredFormat) -> Property) {
    self.property = property
    let scope = KeyValueStore.defaultStore.taskScope
    (isInScope, self.scope) = (scope != nil, scope)
    Self.all.withLock { $0[ObjectIdentifier(self)] = Reference(declaration: self) }
  }

  deinit {
    Self.all.withLock { $0[ObjectIdentifier(self)] = nil }
  }

  /// The existing declarations, without those of other scopes, such as tests at the same time.
  static func existing(in scope: DefaultStore<KeyValueStore>.Scope?) -> [Declaration] {
    all.withLock { $0.values.compactMap(\.declaration) }
      .filter { !$0.isInScope || $0.scope === scope }
  }
}
