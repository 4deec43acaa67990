import Concurrency
import StorageInternals
import Synchronization
import ValueFormats

struct PasswordDeclaration: Sendable {
  let identity: ItemIdentity
  let match: ItemMatch
  let refreshPolicy: RefreshPolicy
  let defaultValue: (any AnyBox)?
  let accessControl: AccessControl
  let decode: @Sendable (Secret) throws(SecretStoreError) -> any AnyBox

  var query: ItemQuery { match == .any ? .matching(identity) : .exactly(identity) }
}

/// A password in a store, with its unsaved changes.
///
/// Loads and writes wait for each other, with the lock `order`, and so do gets that read the store
/// because it has changed. Under other policies than `onChange`, gets do not: what one has read is
/// kept unless a load or a write ended, or an access failed, meanwhile. The lock `state` is held
/// only briefly, and never while the store, a coder or a handler is called. A store may call the
/// observer while `order` is locked; the observer only counts changes.
final class StoredPassword: Sendable {
  struct State: Sendable {
    var value: (any AnyBox)?
    var isUnsaved = false
    var edits = AttributeEdits()
    /// The number of loads and writes that have ended, by which gets detect them.
    var endCount = 0
    /// The lease on the value; nil if the value was not loaded with a context.
    var lease: ValueLease?
    var found = FoundItem()
    /// The observation of the store, if the refresh policy needs it; nil before the first access.
    var observation: ChangeObservation?
    /// What the value was read from or written to; nil if it was not, or is not known any longer.
    var source: ValueSource?
    var status: PasswordStatus?
    var error: SecretStoreError?
    var reportedFailures: Set<SecretStorageFailure> = []
  }

  let declaration: PasswordDeclaration
  let state = Lock(State())
  let changes = ChangeCount()
  /// The store; nil for the default store.
  let givenStore: (any SecretStore)?
  // Not `Void`: the thread sanitizer takes a value without a size for the field behind it.
  private let order = Lock(0)

  init(_ declaration: PasswordDeclaration, in store: (any SecretStore)?) {
    self.declaration = declaration
    givenStore = store
  }

  var store: any SecretStore { givenStore ?? DefaultStore.resolved }

  func access<Result: Sendable>(
    after change: (inout State) -> Void = { _ in },
    _ body: (State, Authorization) throws(SecretStoreError) -> Result
  ) throws(SecretStoreError) -> Result {
    try SecretStoreError.checkProcess()
    return try order.withLock { _ throws(SecretStoreError) in
      let old = state.withLock { state in
        change(&state)
        return state
      }
      do throws(SecretStoreError) {
        let result = try body(old, .none)
        state.withLock { $0.didSucceed() }
        return result
      } catch {
        didFail(error)
        throw error
      }
    }
  }

  /// Records the failure of an access that began with a state, unless a load or a write has ended
  /// since; then returns the newer state.
  @discardableResult
  func didFail(_ error: SecretStoreError, since old: State? = nil) -> State? {
    let status = PasswordStatus(error)
    return state.withLock { state in
      if let old, old.endCount != state.endCount { return state }
      let keepsValue =
        switch status {
        case .locked: declaration.refreshPolicy == .manual
        case .denied: declaration.refreshPolicy == .manual || state.lease != nil
        default: true
        }
      if !keepsValue { state.forget() }
      state.source?.revision = nil
      state.status = status
      state.error = error
      return nil
    }
  }

  func forget() {
    if Fork.isChild { return }
    state.withLock { $0.forget() }
  }

  /// Reports the failure of an access by a property, once until an access succeeds; that of a change
  /// always, because it discards the change.
  func report(_ operation: SecretStorageFailure.Operation, _ error: SecretStoreError) {
    let failure = SecretStorageFailure(operation, error)
    let isNew = state.withLock { $0.reportedFailures.insert(failure).inserted }
    if isNew || operation == .change { SecretStores.onFailure(failure) }
  }

  func countDelayedChanges() {
    if !PolledPaths.isEmpty { (store as? SecretVault)?.reportDelayedChanges() }
  }

  /// Returns the number of reported changes, after beginning to observe them if necessary.
  func changeCount(observedSince old: State) -> Int {
    if declaration.refreshPolicy == .onChange, old.observation == nil {
      // The handler captures only the count, to avoid a retain cycle.
      let handler: @Sendable () -> Void = { [changes] in changes.increment() }
      let observation =
        (store as? any SynchronouslyObservedStore)?.observeChangesSynchronously(handler)
        ?? store.observeChanges(handler)
      // If another thread was faster, this one ends without the lock.
      state.withLock { $0.observation = $0.observation ?? observation }
    }
    return changes.value
  }
}

extension StoredPassword.State {
  mutating func forget() {
    lease = nil
    if isUnsaved { return }
    value = nil
    source = nil
    status = nil
  }

  /// Clears the last failure, and the status unless the access has determined it.
  mutating func didSucceed() {
    if let error, status == PasswordStatus(error) { status = nil }
    error = nil
    if reportedFailures.isEmpty { return }
    SecretStores.didSucceed(after: reportedFailures)
    reportedFailures = []
  }
}

final class ChangeCount: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .acquiring) }

  func increment() {
    count.wrappingAdd(1, ordering: .releasing)
  }
}

/// A value of erased type: generic code, which is not specialized across modules, would be slower.
protocol AnyBox: AnyObject, Sendable {
  func encoded() throws(SecretStoreError) -> Secret
}

final class Box<Value: Codable & Sendable>: AnyBox {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }

  init(decoding secret: Secret) throws(SecretStoreError) {
    do throws(ValueCodingError) {
      value = unsafe try secret.withUnsafeBytes { bytes throws(ValueCodingError) in
        try ValueCoder().decode(Value.self, from: unsafe bytes.bindMemory(to: UInt8.self).span)
      }
    } catch {
      throw .undecodable("\(Value.self)")
    }
  }

  func encoded() throws(SecretStoreError) -> Secret {
    do throws(ValueCodingError) {
      var bytes = try ValueCoder().encode(value)
      defer { bytes.wipe() }
      return Secret(bytes)
    } catch {
      throw .invalid(error.encodingFailure)
    }
  }
}
