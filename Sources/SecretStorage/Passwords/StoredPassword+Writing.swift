import StorageInternals

extension StoredPassword {
  /// Sets the value, and writes it unless the policy is manual.
  func set(_ value: (any KeptValue)?) {
    guard declaration.refreshPolicy != .manual else {
      return state.withLock { $0.set(value) }
    }
    implicitAccess(.write) { resolver throws(SecretStoreError) in
      state.withLock { $0.set(value) }
      try write(&resolver, authorizedBy: .none)
    }
  }

  /// Writes what is unsaved.
  func save() throws(SecretStoreError) {
    try access { resolver throws(SecretStoreError) in try write(&resolver, authorizedBy: .none) }
  }

  /// Removes the item, and drops what is unsaved.
  func remove() throws(SecretStoreError) {
    try access { resolver throws(SecretStoreError) in
      let settings = state.withLock { $0.settings }
      try removeItem(&resolver)
      state.withLock { $0.didRemove(settings: settings) }
    }
  }

  var hasUnsavedChanges: Bool { state.withLock { $0.isUnsaved || !$0.edits.isEmpty } }

  var attributes: ItemAttributes {
    let item = item()
    return state.withLock { attributes(of: item, with: $0.edits) }
  }

  func setAttributes(_ attributes: ItemAttributes) {
    // What the app did not see, it did not mean to change: without a look at the item, everything
    // that it has and the new attributes lack would be cleared.
    if state.withLock({ $0.status == nil && $0.item == nil }) { _ = item() }
    state.withLock { state in
      state.edits.note(from: self.attributes(of: state.item, with: state.edits), to: attributes)
      state.settings += 1
    }
  }

  private func attributes(of item: SecretItem?, with edits: AttributeEdits) -> ItemAttributes {
    edits.applied(
      to: item?.attributes ?? ItemAttributes(accessControl: declaration.accessControl))
  }

  func write(
    _ resolver: inout ItemResolver, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) {
    let (isUnsaved, value, edits, settings) = state.withLock {
      ($0.isUnsaved, $0.value, $0.edits, $0.settings)
    }
    if isUnsaved && value == nil {
      try removeItem(&resolver)
      return state.withLock { $0.didRemove(settings: settings) }
    }
    if !isUnsaved && edits.isEmpty { return }

    let position = changes.value
    let secret = isUnsaved ? try value?.encoded() : nil
    guard let written = try store(secret, edits, &resolver, authorization) else { return }
    resolver.remember(written)
    state.withLock { state in
      state.item = written
      guard state.settings == settings else { return }
      state.isUnsaved = false
      state.edits = AttributeEdits()
      if isUnsaved {
        state.readAt = position
        state.status = .value
      }
    }
  }

  /// Updates the item, or adds one if there is none and a secret to add.
  private func store(
    _ secret: Secret?, _ edits: AttributeEdits, _ resolver: inout ItemResolver,
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

  private func removeItem(_ resolver: inout ItemResolver) throws(SecretStoreError) {
    let store = resolver.store
    try resolver.withItem { item throws(SecretStoreError) in
      guard let item else { return }
      try store.remove(item.id, expecting: item.revision)
    }
    resolver.forget()
  }
}

extension StoredPassword.State {
  fileprivate mutating func set(_ value: (any KeptValue)?) {
    self.value = value
    permit = nil
    isUnsaved = true
    settings += 1
  }

  /// Takes a removal, after which another item may match: nothing is known until the next access.
  fileprivate mutating func didRemove(settings: Int) {
    item = nil
    readAt = nil
    status = nil
    guard settings == self.settings else { return }
    value = nil
    isUnsaved = false
    edits = AttributeEdits()
  }
}
