import Concurrency
import StorageInternals
import Synchronization
import ValueFormats

struct PasswordDeclaration: Sendable {
  let identity: ItemIdentity
  let query: ItemQuery
  let refreshPolicy: RefreshPolicy
  let defaultValue: (any AnyBox)?
  let accessControl: AccessControl
  let decode: @Sendable (Secret) throws(SecretStoreError) -> any AnyBox
  let encode: @Sendable (any AnyBox) throws(SecretStoreError) -> Secret
}

/// A password in a store, with its unsaved changes.
///
/// The lock `order` serializes loads and writes and, under the policy `onChange`, the reads of
/// gets. Under the other policies, gets read without this lock: the value that a get has read is
/// kept unless meanwhile a load or a write ended, or an access failed. The lock `state` is held
/// only briefly, and never while the store, a coder or a handler is called. A store may call the
/// observer while `order` is locked; the observer only counts changes.
final class StoredPassword: Sendable {
  struct State: Sendable {
    var value: (any AnyBox)?
    var isUnsaved = false
    var edits = AttributeEdits()
    /// The number of loads and writes that have ended, which gets compare before and after reading.
    var endCount = 0
    /// The number of accesses that have failed, which gets compare before and after reading.
    var failureCount = 0
    var lease: ValueLease?
    var found = FoundItem()
    /// The observation of the store, if the refresh policy needs it; nil before the first access.
    var observation: ChangeObservation?
    /// The source of the last read or write; nil if the value was set or forgotten since.
    var source: ValueSource?
    /// The result of the last access; nil if the store must be read to determine it.
    var status: PasswordStatus?
    var error: SecretStoreError?
    /// The failures that were reported since the last success.
    var reportedFailures: [SecretStorageFailure] = []
  }

  let declaration: PasswordDeclaration
  let state = Lock(State())
  let changes = ChangeCount()
  let givenStore: (any SecretStore)?
  // `Void` has no size, and the thread sanitizer takes such a value for the field behind it.
  private let order = Lock(0)

  init(_ declaration: PasswordDeclaration, in store: (any SecretStore)?) {
    self.declaration = declaration
    givenStore = store
  }

  var store: any SecretStore { givenStore ?? DefaultStore.resolved }

  /// Changes the state, then performs a load or write after all earlier ones; records its success.
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

  /// Records the failure of an access that began with the state `old`.
  ///
  /// If a load or write has ended since, the failure is not recorded; returns the newer state.
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
      state.failureCount += 1
      return nil
    }
  }

  func forget() {
    if Fork.isChild { return }
    state.withLock { $0.forget() }
  }

  /// Reports the failure of a get, a set or an in-place change.
  ///
  /// The same failure is reported only once until an access succeeds. The failure of an in-place
  /// change is always reported, because the change is lost.
  func report(_ operation: SecretStorageFailure.Operation, _ error: SecretStoreError) {
    let failure = SecretStorageFailure(operation, error)
    let isNew = state.withLock { $0.reportedFailures.addFailure(failure) }
    if isNew || operation == .change { SecretStores.onFailure(failure) }
  }

  /// Counts the changes by other processes that the vault would report only with a delay.
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
        // A scope in which the handler were called would retain this password.
        ?? DefaultStore.scopes.runOutside { store.observeChanges(handler) }
      // If another thread was faster, this observation ends after the lock is released.
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

  mutating func didSucceed() {
    if let error, status == PasswordStatus(error) { status = nil }
    error = nil
    if reportedFailures.isEmpty { return }
    SecretStores.didSucceed(after: reportedFailures)
    reportedFailures = []
  }
}

/// The number of changes that the store has reported.
final class ChangeCount: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .acquiring) }

  func increment() { count.wrappingAdd(1, ordering: .releasing) }
}

/// A `Box` in code that is independent of the value's type.
///
/// Generic code would be slower, because it is not specialized across modules.
typealias AnyBox = AnyObject & Sendable

extension Secret {
  init(encoding value: some Encodable) throws(SecretStoreError) {
    do throws(ValueCodingError) {
      var bytes = try ValueCoder().encode(value)
      defer { bytes.wipe() }
      self.init(bytes)
    } catch {
      throw .invalid(error.encodingFailure)
    }
  }

  func decoded<Value: Decodable>() throws(SecretStoreError) -> Value {
    do throws(ValueCodingError) {
      return unsafe try withUnsafeBytes { bytes throws(ValueCodingError) in
        try ValueCoder().decode(Value.self, from: unsafe bytes.bindMemory(to: UInt8.self).span)
      }
    } catch {
      throw .undecodable("\(Value.self)")
    }
  }
}
