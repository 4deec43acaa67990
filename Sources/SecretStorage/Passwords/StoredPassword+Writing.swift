import Concurrency

// Sets, saves and removals, and changes in place.
extension StoredPassword {
  /// Sets the value, and saves it unless the policy is manual.
  func set(_ value: (any AnyBox)?) {
    if declaration.refreshPolicy == .manual { return state.withLock { $0.set(value) } }
    implicitAccess(.write) { resolver throws(SecretStoreError) in
      state.withLock { $0.set(value) }
      try write(resolver, authorizedBy: .none)
    }
  }

  /// Saves the unsaved changes.
  func save() throws(SecretStoreError) {
    try access { resolver throws(SecretStoreError) in try write(resolver, authorizedBy: .none) }
  }

  /// Removes the item, and discards the unsaved changes.
  func remove() throws(SecretStoreError) {
    try access { resolver throws(SecretStoreError) in
      let changeCount = state.withLock { $0.changeCount }
      try removeItem(resolver)
      state.withLock { $0.didRemove(changeCount: changeCount) }
    }
  }

  var hasUnsavedChanges: Bool { state.withLock { $0.isUnsaved || !$0.edits.isEmpty } }

  var attributes: ItemAttributes {
    let item = item()
    return state.withLock { attributes(of: item, with: $0.edits) }
  }

  func setAttributes(_ attributes: ItemAttributes) {
    // Otherwise, the edits would remove attributes that were never read.
    if state.withLock({ $0.status == nil && $0.item == nil }) { _ = item() }
    state.withLock { state in
      state.edits.record(from: self.attributes(of: state.item, with: state.edits), to: attributes)
      state.changeCount += 1
    }
  }

  private func attributes(of item: SecretItem?, with edits: AttributeEdits) -> ItemAttributes {
    edits.applied(to: item?.attributes ?? ItemAttributes(accessControl: declaration.accessControl))
  }

  func write(
    _ resolver: ItemResolver, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) {
    let (isUnsaved, value, edits, changeCount) = state.withLock {
      ($0.isUnsaved, $0.value, $0.edits, $0.changeCount)
    }
    if isUnsaved && value == nil {
      try removeItem(resolver)
      return state.withLock { $0.didRemove(changeCount: changeCount) }
    }
    if !isUnsaved && edits.isEmpty { return }

    let readChangeCount = changes.value
    let secret = isUnsaved ? try value?.encoded() : nil
    guard let written = try store(secret, edits, resolver, authorization) else { return }
    resolver.cache(written)
    state.withLock { state in
      guard state.changeCount == changeCount else { return }
      state.isUnsaved = false
      state.edits = AttributeEdits()
      if isUnsaved {
        state.readChangeCount = readChangeCount
        state.status = .value
      }
    }
  }

  /// Updates the item; if there is none, adds one if there is a secret.
  private func store(
    _ secret: Secret?, _ edits: AttributeEdits, _ resolver: ItemResolver,
    _ authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem? {
    let store = resolver.store
    return try resolver.withItem { item throws(SecretStoreError) in
      if let item {
        return try store.update(
          item.id, expecting: item.revision,
          attributes: edits.isEmpty ? nil : edits.applied(to: item.attributes), secret: secret,
          authorizedBy: authorization)
      }
      guard let secret else { return nil }
      return try store.add(
        secret, identity: declaration.identity, attributes: attributes(of: nil, with: edits),
        authorizedBy: authorization)
    }
  }

  private func removeItem(_ resolver: ItemResolver) throws(SecretStoreError) {
    let store = resolver.store
    try resolver.withItem { item throws(SecretStoreError) in
      guard let item else { return }
      try store.remove(item.id, expecting: item.revision)
    }
  }
}

extension StoredPassword.State {
  fileprivate mutating func set(_ value: (any AnyBox)?) {
    self.value = value
    lease = nil
    isUnsaved = true
    changeCount += 1
  }

  /// Resets the state after a removal, because another item may match from now on.
  fileprivate mutating func didRemove(changeCount: Int) {
    resolution = ItemResolution()
    readChangeCount = nil
    status = nil
    guard changeCount == self.changeCount else { return }
    value = nil
    isUnsaved = false
    edits = AttributeEdits()
  }
}

extension StoredPassword {
  /// The initial value of an in-place change.
  struct InitialValue {
    let value: (any AnyBox)?
    /// The error that prevented the stored value from being read.
    var readError: SecretStoreError?
    let process = Fork.generation

    /// The error that prevents the changed value from being saved.
    var error: SecretStoreError? {
      process == Fork.generation ? readError : .forkedInside("an in-place change")
    }
  }

  /// Begins an in-place change of the unsaved or the stored value.
  func beginChange() -> InitialValue {
    countDelayedChanges()
    do throws(SecretStoreError) {
      if !state.withLock({ hasInitialValue($0) }) {
        try access { resolver throws(SecretStoreError) in
          // Another thread may have read or set the value while this one was waiting for the lock.
          if !state.withLock({ hasInitialValue($0) }) { try read(resolver) }
        }
      }
      return InitialValue(value: cachedValue)
    } catch {
      return InitialValue(value: cachedValue, readError: error)
    }
  }

  /// Ends an in-place change by setting the value, unless that would overwrite an unknown value.
  func endChange(of initial: InitialValue, with value: (any AnyBox)?) {
    if let error = initial.error {
      didFail(error)
      // Repeated failures are reported as well, because each one discards a change.
      let failure = SecretStorageFailure(.change, error)
      state.withLock { _ = $0.reportedFailures.insert(failure) }
      return SecretStores.onFailure(failure)
    }
    // If the value was nil before and after, an optional chain changed nothing.
    if initial.value != nil || value != nil { set(value) }
  }

  private func hasInitialValue(_ state: borrowing State) -> Bool {
    state.isUnsaved || (isCurrent(state) && state.readChangeCount != nil)
  }
}
