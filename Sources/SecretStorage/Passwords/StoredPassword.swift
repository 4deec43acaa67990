import Concurrency
import StorageInternals
import Synchronization

/// What a password item was declared as.
struct PasswordDeclaration: Sendable {
  let identity: ItemIdentity
  let match: ItemMatch
  let refreshPolicy: RefreshPolicy
  let defaultValue: (any KeptValue)?
  let accessControl: AccessControl
  let decode: @Sendable (Secret) throws(SecretStoreError) -> any KeptValue

  var query: ItemQuery {
    match == .any ? .matching(identity) : .exactly(identity)
  }
}

/// A declared password in one store: what is known of it, and what is still to be written.
///
/// Two locks: `connection` gives the accesses to the store their turn, `state` is held for moments
/// only and never while the store, a coder or a handler is called. What the store calls back under
/// `connection` only counts; handlers of the app run elsewhere.
final class StoredPassword: Sendable {
  struct State: Sendable {
    /// What was last read or set; nil also when it is not known.
    var value: (any KeptValue)?
    /// Whether the value was set and not written since.
    var isUnsaved = false
    /// Counts what the app set, so that a write tells whether it wrote the latest.
    var settings = 0
    var edits = AttributeEdits()
    /// Until when the value counts, if it was loaded with a context.
    var permit: LoadingPermit?
    /// The item as last seen.
    var item: SecretItem?
    /// How many changes the store had told of before the value was read.
    var readAt: Int?
    /// How the last access went; nil before any.
    var status: PasswordStatus?
    var error: SecretStoreError?
    /// The last failure told, until a success.
    var told: PasswordFailure?
  }

  /// What there is from the first access on.
  private struct Connection: Sendable {
    var resolver: ItemResolver
    let observation: ChangeObservation?
  }

  let declaration: PasswordDeclaration
  let state = Lock(State(), inForkedChild: { State() })
  let changes = ChangeCount()
  private let store: (any SecretStore)?
  private let connection = Lock(Connection?.none, inForkedChild: { nil })

  /// - Parameters:
  ///   - declaration: What to find and how.
  ///   - store: Nil means the default store, as it is at the first access.
  init(_ declaration: PasswordDeclaration, in store: (any SecretStore)?) {
    self.declaration = declaration
    self.store = store
  }

  /// Does what an explicit call asks for, in turn, and notes how it went.
  func access<Result: Sendable>(
    _ body: (inout ItemResolver) throws(SecretStoreError) -> Result
  ) throws(SecretStoreError) -> Result {
    try connection.withLock { connection throws(SecretStoreError) in
      if connection == nil { connection = connect() }
      do throws(SecretStoreError) {
        let result = try body(&connection!.resolver)
        state.withLock { $0.didSucceed() }
        return result
      } catch {
        didFail(error)
        throw error
      }
    }
  }

  /// Notes how an access went that ended in an error.
  ///
  /// A value that the store does not give any more is forgotten, but for what the app itself keeps:
  /// what is unsaved, what a manual property loaded, and what was loaded with a context.
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

  /// Forgets what was read of the store; what is unsaved stays.
  func forget() {
    state.withLock { $0.forget() }
  }

  /// Does what using a property asks for; a failure goes to ``SecretStorage/onFailure``.
  func implicitAccess(
    _ operation: PasswordFailure.Operation,
    _ body: (inout ItemResolver) throws(SecretStoreError) -> Void
  ) {
    do throws(SecretStoreError) {
      try access(body)
    } catch {
      let failure = PasswordFailure(operation, error)
      let isNew = state.withLock { state in
        defer { state.told = failure }
        return state.told != failure
      }
      if isNew { SecretStorage.onFailure(failure) }
    }
  }

  private func connect() -> Connection {
    let store = store ?? DefaultStore.resolved
    // The handler holds the count alone, so that password and store do not keep each other alive.
    let observation =
      declaration.refreshPolicy == .onChange && !Fork.isChild
      ? store.countChanges { [changes] in changes.increment() } : nil
    return Connection(
      resolver: ItemResolver(store: store, query: declaration.query), observation: observation)
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

  /// Forgets the last failure; if what succeeded found out nothing itself, the status is open.
  fileprivate mutating func didSucceed() {
    if let error, status == PasswordStatus(error) { status = nil }
    error = nil
    told = nil
  }
}

/// Counts the changes that a store told of.
final class ChangeCount: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .acquiring) }

  func increment() {
    count.wrappingAdd(1, ordering: .releasing)
  }
}
