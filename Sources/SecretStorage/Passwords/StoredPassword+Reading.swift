import Concurrency
import StorageInternals

extension StoredPassword {
  /// The value as the refresh policy gives it, or the default value.
  var value: (any KeptValue)? {
    let (isKnown, value) = known { ($0.isUnsaved || isCurrent($0), $0.value) }
    if isKnown { return value ?? declaration.defaultValue }
    refresh()
    return knownValue
  }

  /// The value that was read or set last, or the default value.
  var knownValue: (any KeptValue)? { known { $0.value } ?? declaration.defaultValue }

  /// Looks at the state without what was loaded with a context and counts no more.
  private func known<Result>(_ body: (borrowing State) -> Result) -> Result {
    let (permit, result) = state.withLock { ($0.permit, body($0)) }
    // The store is asked outside of the lock.
    guard let permit, permit.isOver else { return result }
    return state.withLock { state in
      if state.permit === permit { state.forget() }
      return body(state)
    }
  }

  /// Reads the store, whatever is unsaved, and takes what it has.
  func load() throws(SecretStoreError) -> (any KeptValue)? {
    try access { resolver throws(SecretStoreError) in try load(&resolver, authorizedBy: .none) }
  }

  func load(
    _ resolver: inout ItemResolver, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> (any KeptValue)? {
    let permit = authorization.end.map { LoadingPermit(until: $0, resolver.store) }
    let (found, position) = try read(&resolver, authorizedBy: authorization)
    state.withLock { state in
      state.isUnsaved = false
      state.edits = AttributeEdits()
      state.take(found, readAt: position)
      state.permit = permit
    }
    return found?.value
  }

  /// How the last access went; the first time, there is one for the purpose.
  var status: PasswordStatus {
    while true {
      if let status = known({ $0.status }) { return status }
      refresh()
    }
  }

  var error: SecretStoreError? { state.withLock { $0.error } }

  func matchCount() throws(SecretStoreError) -> Int {
    try access { resolver throws(SecretStoreError) in
      try resolver.store.items(matching: resolver.query).count
    }
  }

  /// The item as the refresh policy gives it, without its secret.
  func item() -> SecretItem? {
    switch declaration.refreshPolicy {
    case .manual: break
    case .onChange: if !state.withLock({ isCurrent($0) }) { refresh() }
    case .onAccess:
      implicitAccess(.read) { resolver throws(SecretStoreError) in
        let item = try resolver.item()
        state.withLock { $0.item = item }
      }
    }
    return state.withLock { $0.item }
  }

  /// Whether the policy wants no reading of the store before the value is given.
  func isCurrent(_ state: borrowing State) -> Bool {
    switch declaration.refreshPolicy {
    case .onAccess: false
    case .manual: true
    // In a forked child, no store hears of the changes of other processes.
    case .onChange: !Fork.isChild && state.readAt == changes.value
    }
  }

  /// Reads the store; an unsaved value stays, and a manual one is not replaced.
  private func refresh() {
    implicitAccess(.read) { resolver throws(SecretStoreError) in
      let isManual = declaration.refreshPolicy == .manual
      // Another thread may have read while this one waited for its turn.
      if !isManual, state.withLock({ isCurrent($0) }) { return }
      try read(&resolver, keepingValue: isManual)
    }
  }

  /// Reads the store; an unsaved value stays.
  func read(
    _ resolver: inout ItemResolver, keepingValue: Bool = false
  ) throws(SecretStoreError) {
    let (found, position) = try read(&resolver, authorizedBy: .none)
    state.withLock { state in
      if keepingValue || state.isUnsaved {
        state.item = found?.item
        state.status = found == nil ? .absent : .value
      } else {
        state.take(found, readAt: position)
      }
    }
  }

  private func read(
    _ resolver: inout ItemResolver, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> (found: (item: SecretItem, value: any KeptValue)?, position: Int) {
    let position = changes.value
    guard let (item, secret) = try resolver.reading(authorizedBy: authorization) else {
      return (nil, position)
    }
    return ((item, try declaration.decode(secret)), position)
  }
}

/// Until when a value counts that was loaded with a context: until the context ends, or the store
/// is locked.
final class LoadingPermit: Sendable {
  private let end: ContextEnd
  private let store: (any PromptlyObservedStore)?
  private let lockCount: UInt64?

  init(until end: ContextEnd, _ store: any SecretStore) {
    self.end = end
    self.store = store as? any PromptlyObservedStore
    lockCount = self.store?.lockCount
  }

  var isOver: Bool { end.isOver || store?.lockCount != lockCount }
}

extension StoredPassword.State {
  fileprivate mutating func take(
    _ found: (item: SecretItem, value: any KeptValue)?, readAt position: Int
  ) {
    value = found?.value
    permit = nil
    item = found?.item
    readAt = position
    status = found == nil ? .absent : .value
  }
}
