import Concurrency
import StorageInternals
import Synchronization
import ValueFormats

/// The parameters of a password's declaration.
struct PasswordDeclaration: Sendable {
  let identity: ItemIdentity
  let match: ItemMatch
  let refreshPolicy: RefreshPolicy
  let defaultValue: (any AnyBox)?
  let accessControl: AccessControl
  let decode: @Sendable (Secret) throws(SecretStoreError) -> any AnyBox

  var query: ItemQuery { match == .any ? .matching(identity) : .exactly(identity) }
}

/// The state of a password in a store, including its unsaved changes.
///
/// The lock `resolver` serializes accesses to the store. The lock `state` is held only briefly, and
/// never while the store, a coder or a handler is called. A store may call the observer while
/// `resolver` is locked; the observer only counts changes.
final class StoredPassword: Sendable {
  struct State: Sendable {
    /// The value that was last read or set; nil if there is none or it is not cached.
    var value: (any AnyBox)?
    /// Whether the value was set and has not been saved.
    var isUnsaved = false
    /// The number of changes by the app, with which a write detects newer changes.
    var changeCount = 0
    var edits = AttributeEdits()
    /// The lease on the value; nil if the value was not loaded with a context.
    var lease: ValueLease?
    /// The result of the last search or write of the item.
    var resolution = ItemResolution()
    /// The number of changes that the store had reported when the value was read.
    var readChangeCount: Int?
    /// The result of the last access; nil before the first access.
    var status: PasswordStatus?
    var error: SecretStoreError?
    /// The failures that were reported since the last access that succeeded.
    var reportedFailures: Set<SecretStorageFailure> = []

    var item: SecretItem? { resolution.item }
  }

  let declaration: PasswordDeclaration
  let state = Lock(State(), inForkedChild: { State() })
  let changes = ChangeCount()
  /// The store; nil for the default store at the first access.
  private let store: (any SecretStore)?
  /// The search for the item; nil before the first access.
  private let resolver = Lock(ItemResolver?.none, inForkedChild: { nil })

  init(_ declaration: PasswordDeclaration, in store: (any SecretStore)?) {
    self.declaration = declaration
    self.store = store
  }

  /// Performs an access under the lock `resolver`, and records its result.
  func access<Result: Sendable>(
    _ body: (ItemResolver) throws(SecretStoreError) -> Result
  ) throws(SecretStoreError) -> Result {
    try resolver.withLock { resolver throws(SecretStoreError) in
      if resolver == nil { resolver = makeResolver() }
      do throws(SecretStoreError) {
        let result = try body(resolver!)
        state.withLock { $0.didSucceed() }
        return result
      } catch {
        didFail(error)
        throw error
      }
    }
  }

  /// Records a failed access.
  ///
  /// If the store is locked or denies access, this also discards the value, unless it is unsaved,
  /// the policy is manual, or the item was denied and the value was loaded with a context.
  func didFail(_ error: SecretStoreError) {
    let status = PasswordStatus(error)
    state.withLock { state in
      let keepsValue =
        switch status {
        case .locked: declaration.refreshPolicy == .manual
        case .denied: declaration.refreshPolicy == .manual || state.lease != nil
        default: true
        }
      if !keepsValue { state.forget() }
      state.status = status
      state.error = error
    }
  }

  /// Discards the value that was read from the store, but not unsaved changes.
  func forget() {
    state.withLock { $0.forget() }
  }

  /// Performs an access by a property, whose failure is reported to ``SecretStores/onFailure``.
  func implicitAccess(
    _ operation: SecretStorageFailure.Operation,
    _ body: (ItemResolver) throws(SecretStoreError) -> Void
  ) {
    do throws(SecretStoreError) {
      try access(body)
    } catch {
      let failure = SecretStorageFailure(operation, error)
      let isNew = state.withLock { state in
        state.reportedFailures.insert(failure).inserted
      }
      if isNew { SecretStores.onFailure(failure) }
    }
  }

  /// Counts changes by other processes that the store would otherwise report with a delay.
  func countDelayedChanges() {
    if PolledPaths.isEmpty { return }
    let store = resolver.withLock { $0?.store }
    (store as? any SynchronouslyObservedStore)?.reportDelayedChanges()
  }

  private func makeResolver() -> ItemResolver {
    let store = store ?? SecretStores.defaultStore
    var resolver = ItemResolver(store: store, query: declaration.query, state: state)
    if declaration.refreshPolicy == .onChange, !Fork.isChild {
      // The handler captures only the count, to avoid a retain cycle.
      resolver.observation = store.countChanges { [changes] in changes.increment() }
    }
    return resolver
  }
}

extension StoredPassword.State {
  mutating func forget() {
    lease = nil
    if isUnsaved { return }
    value = nil
    readChangeCount = nil
    status = nil
  }

  /// Clears the last failure, and the status unless the access has determined it.
  fileprivate mutating func didSucceed() {
    if let error, status == PasswordStatus(error) { status = nil }
    error = nil
    if reportedFailures.isEmpty { return }
    SecretStores.didSucceed(after: reportedFailures)
    reportedFailures = []
  }
}

/// The number of changes that a store has reported.
final class ChangeCount: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .acquiring) }

  func increment() {
    count.wrappingAdd(1, ordering: .releasing)
  }
}

/// A value of erased type.
///
/// Generic code, which is not specialized across modules, would slow down a get.
protocol AnyBox: AnyObject, Sendable {
  func encoded() throws(SecretStoreError) -> Secret
}

/// A value of a concrete type.
final class Box<Value: Codable & Sendable>: AnyBox {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }

  /// - Throws: ``SecretStoreError/undecodable(_:)`` if the bytes are not a valid `Value`.
  init(decoding secret: Secret) throws(SecretStoreError) {
    do throws(ValueCodingError) {
      value = unsafe try secret.withUnsafeBytes { bytes throws(ValueCodingError) in
        try ValueCoder().decode(Value.self, from: unsafe bytes.bindMemory(to: UInt8.self).span)
      }
    } catch {
      throw .undecodable("\(Value.self)")
    }
  }

  /// - Throws: ``SecretStoreError/invalid(_:)`` if the value cannot be encoded.
  func encoded() throws(SecretStoreError) -> Secret {
    do throws(ValueCodingError) {
      var bytes = try ValueCoder().encode(value)
      return Secret(wiping: &bytes)
    } catch {
      throw .invalid(error.encodingFailure)
    }
  }
}
