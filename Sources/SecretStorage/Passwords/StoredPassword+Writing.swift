import Concurrency
import StorageInternals

// Sets, saves and removals, and changes in place.
extension StoredPassword {
  func set(_ value: (any AnyBox)?) {
    if Fork.isChild { return Fork.report() }
    if declaration.refreshPolicy == .manual { return state.withLock { $0.set(value) } }
    do throws(SecretStoreError) {
      try access(after: { $0.set(value) }, write)
    } catch {
      report(.write, error)
    }
  }

  var hasUnsavedChanges: Bool {
    !Fork.isChild && state.withLock { $0.isUnsaved || !$0.edits.isEmpty }
  }

  var attributes: ItemAttributes {
    if Fork.isChild { return attributes(of: nil, with: AttributeEdits()) }
    let item = item()
    return state.withLock { attributes(of: item, with: $0.edits) }
  }

  func setAttributes(_ attributes: ItemAttributes) {
    if Fork.isChild { return Fork.report() }
    // Without the stored attributes, the edits would remove attributes that were never read.
    if state.withLock({ $0.status == nil && $0.found.item == nil }) { _ = item() }
    state.withLock { state in
      let old = self.attributes(of: state.found.item, with: state.edits)
      state.edits.record(from: old, to: attributes)
    }
  }

  private func attributes(of item: SecretItem?, with edits: AttributeEdits) -> ItemAttributes {
    edits.applied(to: item?.attributes ?? ItemAttributes(accessControl: declaration.accessControl))
  }

  /// Saves the unsaved changes of a state; an unsaved nil removes the item.
  func write(_ old: State, _ authorization: Authorization) throws(SecretStoreError) {
    if old.isUnsaved && old.value == nil { return try remove(old, authorization) }
    if !old.isUnsaved && old.edits.isEmpty { return }
    let source = ValueSource(changeCount: changeCount(observedSince: old))
    let unsaved = old.isUnsaved ? old.value : nil
    let secret = if let unsaved { try declaration.encode(unsaved) } else { Secret?.none }
    let written = try withItem(old) { found throws(SecretStoreError) -> SecretItem? in
      if let item = found.item {
        return try store.update(
          item.id, expecting: item.revision,
          attributes: old.edits.isEmpty ? nil : old.edits.applied(to: item.attributes),
          secret: secret, authorizedBy: authorization)
      }
      guard let secret else { return nil }
      return try store.add(
        secret, identity: declaration.identity, attributes: attributes(of: nil, with: old.edits),
        authorizedBy: authorization)
    }
    guard let written else { return }
    state.withLock { state in
      state.endCount += 1
      state.found = FoundItem(item: written)
      // Values and attributes that the app has set meanwhile stay unsaved.
      if state.edits == old.edits { state.edits = AttributeEdits() }
      if old.isUnsaved, state.value === old.value {
        state.isUnsaved = false
        state.source = source
        state.status = .value
      }
    }
  }

  /// Removes the item, which needs no authorization, and discards the unsaved changes.
  func remove(_ old: State, _: Authorization) throws(SecretStoreError) {
    try withItem(old) { found throws(SecretStoreError) in
      if let item = found.item { try store.remove(item.id, expecting: item.revision) }
    }
    state.withLock { $0.didRemove(since: old) }
  }

  /// The value before an in-place change, and the error because of which it is unknown, so that the
  /// change must be discarded.
  typealias InitialValue = (value: (any AnyBox)?, readError: SecretStoreError?)

  func beginChange() -> InitialValue {
    if Fork.isChild { return (declaration.defaultValue, nil) }
    if declaration.refreshPolicy == .onChange { countDelayedChanges() }
    let (known, old) = readState { state in
      state.isUnsaved || isCurrent(state) && state.source != nil
        ? (state.value, State?.none) : (nil, copy state)
    }
    do throws(SecretStoreError) {
      let value = if let old { try read(old, keepingValue: false) } else { known }
      return (value ?? declaration.defaultValue, nil)
    } catch {
      let (isUnsaved, value) = readState { ($0.isUnsaved, $0.value) }
      return (value ?? declaration.defaultValue, isUnsaved ? nil : error)
    }
  }

  /// Ends an in-place change by setting the value, unless that would overwrite an unknown value.
  func endChange(of initial: InitialValue, with value: (any AnyBox)?) {
    // The change itself may have forked.
    if Fork.isChild { return Fork.report() }
    if let error = initial.readError {
      didFail(error)
      return report(.change, error)
    }
    // If the value was nil before and after, an optional chain changed nothing.
    if initial.value != nil || value != nil { set(value) }
  }
}

extension StoredPassword.State {
  fileprivate mutating func set(_ value: (any AnyBox)?) {
    self.value = value
    lease = nil
    source = nil
    isUnsaved = true
  }

  /// Resets the state, because another item may match after a removal.
  fileprivate mutating func didRemove(since old: Self) {
    endCount += 1
    found = FoundItem()
    source = nil
    status = nil
    if edits == old.edits { edits = AttributeEdits() }
    if isUnsaved, value !== old.value { return }
    value = nil
    isUnsaved = false
  }
}
