import Concurrency

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
      let settings = state.withLock { $0.settings }
      try removeItem(resolver)
      state.withLock { $0.didRemove(settings: settings) }
    }
  }

  var hasUnsavedChanges: Bool { state.withLock { $0.isUnsaved || !$0.edits.isEmpty } }

  var attributes: ItemAttributes {
    let item = item()
    return state.withLock { attributes(of: item, with: $0.edits) }
  }

  func setAttributes(_ attributes: ItemAttributes) {
    // Otherwise the edits would remove attributes that were never read.
    if state.withLock({ $0.status == nil && $0.item == nil }) { _ = item() }
    state.withLock { state in
      state.edits.record(from: self.attributes(of: state.item, with: state.edits), to: attributes)
      state.settings += 1
    }
  }

  private func attributes(of item: SecretItem?, with edits: AttributeEdits) -> ItemAttributes {
    edits.applied(to: item?.attributes ?? ItemAttributes(accessControl: declaration.accessControl))
  }

  func write(
    _ resolver: ItemResolver, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) {
    let (isUnsaved, value, edits, settings) = state.withLock {
      ($0.isUnsaved, $0.value, $0.edits, $0.settings)
    }
    if isUnsaved && value == nil {
      try removeItem(resolver)
      return state.withLock { $0.didRemove(settings: settings) }
    }
    if !isUnsaved && edits.isEmpty { return }

    let position = changes.value
    let secret = isUnsaved ? try value?.encoded() : nil
    guard let written = try store(secret, edits, resolver, authorization) else { return }
    resolver.remember(written)
    state.withLock { state in
      guard state.settings == settings else { return }
      state.isUnsaved = false
      state.edits = AttributeEdits()
      if isUnsaved {
        state.readAt = position
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
    permit = nil
    isUnsaved = true
    settings += 1
  }

  /// Resets the state after a removal, because another item may match from now on.
  fileprivate mutating func didRemove(settings: Int) {
    resolution = ItemResolution()
    readAt = nil
    status = nil
    guard settings == self.settings else { return }
    value = nil
    isUnsaved = false
    edits = AttributeEdits()
  }
}

extension StoredPassword {
  /// The initial value of an in-place change.
  struct Base {
    let value: (any AnyBox)?
    /// The error that prevented the stored value from being read.
    var failure: SecretStoreError?
    let process = Fork.generation

    /// The error because of which the changed value must not be saved.
    var obstacle: SecretStoreError? {
      process == Fork.generation ? failure : .forkedInside("an in-place change")
    }
  }

  /// Begins an in-place change of the unsaved or the stored value.
  func beginChange() -> Base {
    countDelayedChanges()
    do throws(SecretStoreError) {
      if !state.withLock({ isBaseKnown($0) }) {
        try access { resolver throws(SecretStoreError) in
          // Another thread may have read or set the value while this one was waiting for the lock.
          if !state.withLock({ isBaseKnown($0) }) { try read(resolver) }
        }
      }
      return Base(value: knownValue)
    } catch {
      return Base(value: knownValue, failure: error)
    }
  }

  /// Ends an in-place change by setting the value, unless that would overwrite an unknown value.
  func end(_ base: Base, with value: (any AnyBox)?) {
    if let failure = base.obstacle {
      didFail(failure)
      // Repeated failures are reported as well, because each one discards a change.
      return SecretStores.onFailure(SecretStorageFailure(.change, failure))
    }
    // If the value was nil before and after, an optional chain changed nothing.
    if base.value != nil || value != nil { set(value) }
  }

  private func isBaseKnown(_ state: borrowing State) -> Bool {
    state.isUnsaved || (isCurrent(state) && state.readAt != nil)
  }
}

/// The unsaved changes of an item's attributes; an inner nil removes an attribute.
struct AttributeEdits: Hashable, Sendable {
  private var label: String??
  private var comment: String??
  private var itemDescription: String??
  private var creator: UInt32??
  private var type: UInt32??
  private var isInvisible: Bool??
  var accessControl: AccessControl?

  var isEmpty: Bool { self == AttributeEdits() }

  /// Records the differences between two values of the attributes.
  mutating func record(from old: ItemAttributes, to new: ItemAttributes) {
    if new.label != old.label { label = .some(new.label) }
    if new.comment != old.comment { comment = .some(new.comment) }
    if new.itemDescription != old.itemDescription { itemDescription = .some(new.itemDescription) }
    if new.creator != old.creator { creator = .some(new.creator) }
    if new.type != old.type { type = .some(new.type) }
    if new.isInvisible != old.isInvisible { isInvisible = .some(new.isInvisible) }
    if new.accessControl != old.accessControl { accessControl = new.accessControl }
  }

  func applied(to attributes: ItemAttributes) -> ItemAttributes {
    ItemAttributes(
      label: label ?? attributes.label, comment: comment ?? attributes.comment,
      itemDescription: itemDescription ?? attributes.itemDescription,
      creator: creator ?? attributes.creator, type: type ?? attributes.type,
      isInvisible: isInvisible ?? attributes.isInvisible,
      accessControl: accessControl ?? attributes.accessControl)
  }
}
