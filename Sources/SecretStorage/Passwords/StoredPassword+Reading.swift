import Concurrency

extension StoredPassword {
  /// The value according to the refresh policy, or the default value.
  var value: (any AnyBox)? {
    countDelayedChanges()
    let (isKnown, value) = known { ($0.isUnsaved || isCurrent($0), $0.value) }
    if isKnown { return value ?? declaration.defaultValue }
    refresh()
    return knownValue
  }

  /// The value that was read or set last, or the default value.
  var knownValue: (any AnyBox)? { known { $0.value } ?? declaration.defaultValue }

  /// Reads the state, after discarding a value whose permit has ended.
  private func known<Result>(_ body: (borrowing State) -> Result) -> Result {
    let (permit, result) = state.withLock { ($0.permit, body($0)) }
    // `isOver` calls the store, so it must be called without the lock.
    guard let permit, permit.isOver else { return result }
    return state.withLock { state in
      if state.permit === permit { state.forget() }
      return body(state)
    }
  }

  /// Reads the store, discards unsaved changes, and keeps the value.
  func load() throws(SecretStoreError) -> (any AnyBox)? {
    try access { resolver throws(SecretStoreError) in try load(resolver, authorizedBy: .none) }
  }

  func load(
    _ resolver: ItemResolver, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> (any AnyBox)? {
    let permit = authorization.end.map { LoadingPermit(until: $0, resolver.store) }
    let (value, position) = try read(resolver, authorizedBy: authorization)
    state.withLock { state in
      state.isUnsaved = false
      state.edits = AttributeEdits()
      state.keep(value, readAt: position)
      state.permit = permit
    }
    return value
  }

  /// The result of the last access; reads the store if there was none.
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
    case .onChange: !Fork.isChild && state.readAt == changes.value
    }
  }

  /// Reads the store according to the policy, which keeps an unsaved or a manual value.
  private func refresh() {
    implicitAccess(.read) { resolver throws(SecretStoreError) in
      let isManual = declaration.refreshPolicy == .manual
      // Another thread may have read the store while this one was waiting for the lock.
      if !isManual, state.withLock({ isCurrent($0) }) { return }
      try read(resolver, keepingValue: isManual)
    }
  }

  /// Reads the store; keeps an unsaved value.
  func read(_ resolver: ItemResolver, keepingValue: Bool = false) throws(SecretStoreError) {
    let (value, position) = try read(resolver, authorizedBy: .none)
    state.withLock { state in
      if keepingValue || state.isUnsaved {
        state.status = value == nil ? .absent : .value
      } else {
        state.keep(value, readAt: position)
      }
    }
  }

  private func read(
    _ resolver: ItemResolver, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> (value: (any AnyBox)?, position: Int) {
    let position = changes.value
    guard let found = try resolver.reading(authorizedBy: authorization) else {
      return (nil, position)
    }
    return (try declaration.decode(found.secret), position)
  }
}

extension StoredPassword.State {
  fileprivate mutating func keep(_ value: (any AnyBox)?, readAt position: Int) {
    self.value = value
    permit = nil
    readAt = position
    status = value == nil ? .absent : .value
  }
}

/// The permission to keep a value until its context ends or the store is locked.
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
