import Concurrency
import StorageInternals
import Synchronization
import ValueFormats

/// The declaration of a password item.
struct PasswordDeclaration: Sendable {
  let identity: ItemIdentity
  let match: ItemMatch
  let refreshPolicy: RefreshPolicy
  let defaultValue: (any AnyBox)?
  let accessControl: AccessControl
  let decode: @Sendable (Secret) throws(SecretStoreError) -> any AnyBox

  var query: ItemQuery {
    match == .any ? .matching(identity) : .exactly(identity)
  }
}

/// The state of a declared password in one store, with its unsaved changes.
///
/// `connection` serialises the accesses to the store. `state` is held briefly, and never while the
/// store, a coder or a handler is called. Callbacks of the store under `connection` only count; the
/// app's handlers run on other threads.
final class StoredPassword: Sendable {
  struct State: Sendable {
    /// The value that was last read or set; nil also when it is unknown.
    var value: (any AnyBox)?
    /// Whether the value was set and has not been written.
    var isUnsaved = false
    /// The number of changes by the app, with which a write detects newer ones.
    var settings = 0
    var edits = AttributeEdits()
    /// The validity of the value, if it was loaded with a context.
    var permit: LoadingPermit?
    /// The item when it was last searched or written.
    var resolution = ItemResolution()
    /// The number of changes that the store had reported before the value was read.
    var readAt: Int?
    /// The result of the last access; nil before the first.
    var status: PasswordStatus?
    var error: SecretStoreError?
    /// The last reported failure, until an access succeeds.
    var reported: SecretStorageFailure?

    var item: SecretItem? { resolution.item }
  }

  let declaration: PasswordDeclaration
  let state = Lock(State(), inForkedChild: { State() })
  let changes = ChangeCount()
  private let store: (any SecretStore)?
  /// The search in the store, which exists from the first access on.
  private let connection = Lock(ItemResolver?.none, inForkedChild: { nil })

  /// - Parameters:
  ///   - declaration: The declaration of the password.
  ///   - store: The store; nil means the default store at the first access.
  init(_ declaration: PasswordDeclaration, in store: (any SecretStore)?) {
    self.declaration = declaration
    self.store = store
  }

  /// Runs an explicit access under the `connection` lock, and records the result.
  func access<Result: Sendable>(
    _ body: (ItemResolver) throws(SecretStoreError) -> Result
  ) throws(SecretStoreError) -> Result {
    try connection.withLock { connection throws(SecretStoreError) in
      if connection == nil { connection = connect() }
      do throws(SecretStoreError) {
        let result = try body(connection!)
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
  /// It forgets a value that the store no longer returns, except values that the app keeps:
  /// unsaved, loaded by a manual property, or loaded with a context.
  func didFail(_ error: SecretStoreError) {
    let status = PasswordStatus(error)
    state.withLock { state in
      let isKept =
        switch status {
        case .locked: declaration.refreshPolicy == .manual
        case .denied: declaration.refreshPolicy == .manual || state.permit != nil
        default: true
        }
      if !isKept { state.forget() }
      state.status = status
      state.error = error
    }
  }

  /// Forgets the value that was read from the store; unsaved changes stay.
  func forget() {
    state.withLock { $0.forget() }
  }

  /// Runs an access by a property; a failure goes to ``SecretStores/onFailure``.
  func implicitAccess(
    _ operation: SecretStorageFailure.Operation,
    _ body: (ItemResolver) throws(SecretStoreError) -> Void
  ) {
    do throws(SecretStoreError) {
      try access(body)
    } catch {
      let failure = SecretStorageFailure(operation, error)
      let isNew = state.withLock { state in
        defer { state.reported = failure }
        return state.reported != failure
      }
      if isNew { SecretStores.onFailure(failure) }
    }
  }

  /// Counts the changes of other processes that the store would count later.
  func countDelayedChanges() {
    if PolledPaths.isEmpty { return }
    let store = connection.withLock { $0?.store }
    (store as? any PromptlyObservedStore)?.reportDelayedChanges()
  }

  private func connect() -> ItemResolver {
    let store = store ?? SecretStores.defaultStore
    var resolver = ItemResolver(store: store, query: declaration.query, state: state)
    if declaration.refreshPolicy == .onChange, !Fork.isChild {
      // The handler captures only the count, to avoid a retain cycle between password and store.
      resolver.observation = store.countChanges { [changes] in changes.increment() }
    }
    return resolver
  }
}

extension StoredPassword.State {
  mutating func forget() {
    permit = nil
    if isUnsaved { return }
    value = nil
    readAt = nil
    status = nil
  }

  /// Clears the last failure; the status becomes unknown unless the access determined it.
  fileprivate mutating func didSucceed() {
    if let error, status == PasswordStatus(error) { status = nil }
    error = nil
    reported = nil
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
