import Concurrency

// Gets and loads, and the status of the last access.
extension StoredPassword {
  /// The value according to the refresh policy, or the default value.
  var value: (any AnyBox)? {
    countDelayedChanges()
    let (isCached, value) = readState { ($0.isUnsaved || isCurrent($0), $0.value) }
    if isCached { return value ?? declaration.defaultValue }
    refresh()
    return cachedValue
  }

  /// The value that was last read or set, or the default value.
  var cachedValue: (any AnyBox)? { readState { $0.value } ?? declaration.defaultValue }

  /// Reads the state, after discarding a value whose lease has expired.
  private func readState<Result>(_ body: (borrowing State) -> Result) -> Result {
    let (lease, result) = state.withLock { ($0.lease, body($0)) }
    // `hasExpired` calls the store, so it must be called without the lock.
    guard let lease, lease.hasExpired else { return result }
    return state.withLock { state in
      if state.lease === lease { state.forget() }
      return body(state)
    }
  }

  /// Reads the store, discards unsaved changes, and caches the value.
  func load() throws(SecretStoreError) -> (any AnyBox)? {
    try access { resolver throws(SecretStoreError) in try load(resolver, authorizedBy: .none) }
  }

  func load(
    _ resolver: ItemResolver, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> (any AnyBox)? {
    let lease = authorization.cancellation.map { ValueLease(until: $0, resolver.store) }
    let (value, changeCount) = try read(resolver, authorizedBy: authorization)
    state.withLock { state in
      state.isUnsaved = false
      state.edits = AttributeEdits()
      state.cache(value, readChangeCount: changeCount)
      state.lease = lease
    }
    return value
  }

  /// The result of the last access; reads the store if there was none.
  var status: PasswordStatus {
    while true {
      if let status = readState({ $0.status }) { return status }
      refresh()
    }
  }

  var error: SecretStoreError? { state.withLock { $0.error } }

  func matchCount() throws(SecretStoreError) -> Int {
    try access { resolver throws(SecretStoreError) in
      try resolver.store.items(matching: resolver.query).count
    }
  }

  /// Returns the item according to the refresh policy, without its secret.
  func item() -> SecretItem? {
    switch declaration.refreshPolicy {
    case .manual: break
    case .onChange:
      countDelayedChanges()
      if !state.withLock({ isCurrent($0) }) { refresh() }
    case .onAccess:
      implicitAccess(.read) { resolver throws(SecretStoreError) in _ = try resolver.item() }
    }
    return state.withLock { $0.item }
  }

  /// Returns whether the policy allows returning the value without reading the store.
  func isCurrent(_ state: borrowing State) -> Bool {
    switch declaration.refreshPolicy {
    case .onAccess: false
    case .manual: true
    // In a forked child, stores do not observe changes by other processes.
    case .onChange: !Fork.isChild && state.readChangeCount == changes.value
    }
  }

  /// Reads the store according to the policy; an unsaved or a manual value is not replaced.
  private func refresh() {
    implicitAccess(.read) { resolver throws(SecretStoreError) in
      let isManual = declaration.refreshPolicy == .manual
      // Another thread may have read the store while this one was waiting for the lock.
      if !isManual, state.withLock({ isCurrent($0) }) { return }
      try read(resolver, keepingValue: isManual)
    }
  }

  /// Reads the store; an unsaved value is not replaced.
  func read(_ resolver: ItemResolver, keepingValue: Bool = false) throws(SecretStoreError) {
    let (value, changeCount) = try read(resolver, authorizedBy: .none)
    state.withLock { state in
      if keepingValue || state.isUnsaved {
        state.status = value == nil ? .absent : .value
      } else {
        state.cache(value, readChangeCount: changeCount)
      }
    }
  }

  private func read(
    _ resolver: ItemResolver, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> (value: (any AnyBox)?, changeCount: Int) {
    let changeCount = changes.value
    guard let found = try resolver.reading(authorizedBy: authorization) else {
      return (nil, changeCount)
    }
    return (try declaration.decode(found.secret), changeCount)
  }
}

extension StoredPassword.State {
  fileprivate mutating func cache(_ value: (any AnyBox)?, readChangeCount: Int) {
    self.value = value
    lease = nil
    self.readChangeCount = readChangeCount
    status = value == nil ? .absent : .value
  }
}

/// A lease on a value, which expires when the context is cancelled or the store is locked.
final class ValueLease: Sendable {
  private let cancellation: ContextCancellation
  private let store: (any LockCountingStore)?
  private let lockCount: UInt64?

  init(until cancellation: ContextCancellation, _ store: any SecretStore) {
    self.cancellation = cancellation
    self.store = store as? any LockCountingStore
    lockCount = self.store?.lockCount
  }

  var hasExpired: Bool { cancellation.isRequested || store?.lockCount != lockCount }
}

/// A store that can be locked.
package protocol LockCountingStore: SecretStore {
  /// The number of times that the app has locked the store.
  var lockCount: UInt64 { get }
}
