import Concurrency

// Gets and loads, and the status of the last access.
extension StoredPassword {
  // Each access begins with a check for a forked child, in which there is only the default value.

  var value: (any AnyBox)? {
    if Fork.isChild { return declaration.defaultValue }
    if declaration.refreshPolicy == .onChange { countDelayedChanges() }
    let (value, source, isKnown) = readState { state in
      (state.value, state.source, state.isUnsaved || isCurrent(state))
    }
    let known =
      isKnown || source?.isUnchanged == true ? value : refresh(state.withLock { $0 })
    return known ?? declaration.defaultValue
  }

  /// Reads the state, after discarding a value whose lease has expired.
  func readState<Result>(_ body: (borrowing State) -> Result) -> Result {
    let (lease, result) = state.withLock { ($0.lease, body($0)) }
    // `hasExpired` calls the store, so it must be called without the lock.
    guard let lease, lease.hasExpired else { return result }
    return state.withLock { state in
      if state.lease === lease { state.forget() }
      return body(state)
    }
  }

  func load(
    _ old: State, _ authorization: Authorization
  ) throws(SecretStoreError) -> (any AnyBox)? {
    let lease = authorization.context.map { ValueLease(until: $0.cancellation, store) }
    let (value, source) = try read(old, authorization)
    state.withLock { state in
      state.endCount += 1
      state.isUnsaved = false
      state.edits = AttributeEdits()
      state.didRead(value, from: source)
      // Only the store knows whether the value may still be read.
      if lease != nil { state.source?.revision = nil }
      state.lease = lease
    }
    return value
  }

  var status: PasswordStatus {
    if Fork.isChild { return .forked }
    while true {
      let (status, old) = readState { state in (state.status, copy state) }
      if let status { return status }
      refresh(old)
    }
  }

  var error: SecretStoreError? { Fork.isChild ? .forked : state.withLock { $0.error } }

  func matchCount() throws(SecretStoreError) -> Int {
    try access { _, _ throws(SecretStoreError) in
      try store.items(matching: declaration.query).count
    }
  }

  /// Returns the stored item, after a search if the refresh policy demands one; reports errors.
  func item() -> SecretItem? {
    if Fork.isChild { return nil }
    if declaration.refreshPolicy == .onChange { countDelayedChanges() }
    let old = state.withLock { $0 }
    switch declaration.refreshPolicy {
    case .manual: break
    case .onChange: if !isCurrent(old) { refresh(old) }
    case .onAccess:
      do throws(SecretStoreError) {
        let found = try find(old.found, since: old.endCount)
        state.withLock { state in
          if state.failureCount == old.failureCount { state.didSucceed() }
        }
        return found.item
      } catch {
        if didFail(error, since: old) == nil { report(.read, error) }
      }
    }
    return state.withLock { $0.found.item }
  }

  /// Returns whether the policy allows returning the value without reading the store.
  func isCurrent(_ state: borrowing State) -> Bool {
    switch declaration.refreshPolicy {
    case .onAccess: false
    case .manual: true
    case .onChange: state.source?.changeCount == changes.value
    }
  }

  /// Reads the store for a get, and returns the value; reports errors instead of throwing them.
  ///
  /// An unsaved value, or any value under the policy `manual`, is not replaced.
  @discardableResult
  private func refresh(_ old: State) -> (any AnyBox)? {
    do throws(SecretStoreError) {
      return try read(old, keepingValue: declaration.refreshPolicy == .manual)
    } catch {
      report(.read, error)
      return readState { $0.value }
    }
  }

  /// Reads the store, and returns the unsaved value, or else the one that was read.
  ///
  /// If `keepingValue` is true, only the status in memory changes, and not the value.
  func read(_ old: State, keepingValue: Bool) throws(SecretStoreError) -> (any AnyBox)? {
    if declaration.refreshPolicy == .onChange {
      // Gets read in turn: later gets return the value of the last read, which must be the newest.
      return try access { state, _ throws(SecretStoreError) -> (any AnyBox)? in
        // Another thread may have read the store while this one was waiting.
        let isKnown = isCurrent(state) && state.status != nil
        return isKnown ? state.value : try readAndKeep(state, keepingValue: keepingValue)
      }
    }
    var old = old
    while true {
      do throws(SecretStoreError) {
        return try readAndKeep(old, keepingValue: keepingValue)
      } catch {
        // A load or a write that ended meanwhile, such as a load after unlocking, may be newer.
        guard let newer = didFail(error, since: old) else { throw error }
        old = newer
      }
    }
  }

  private func readAndKeep(
    _ old: State, keepingValue: Bool
  ) throws(SecretStoreError) -> (any AnyBox)? {
    let (value, source) = try read(old, .none)
    return state.withLock { state in
      // A load, a write or a failure that ended meanwhile, such as of a locked store, is newer.
      if state.endCount == old.endCount, state.failureCount == old.failureCount {
        state.didRead(value, from: source, keepingValue: keepingValue)
        state.didSucceed()
      }
      return state.isUnsaved ? state.value : value
    }
  }

  /// Reads the value, with one call of the store if nothing has changed since the last search.
  private func read(
    _ old: State, _ authorization: Authorization
  ) throws(SecretStoreError) -> (value: (any AnyBox)?, source: ValueSource) {
    var source = ValueSource(changeCount: changeCount(observedSince: old))
    if declaration.refreshPolicy == .onAccess {
      source.store = store as? any SynchronouslyObservedStore
    }
    var first: SecretReading?
    if let item = old.found.item {
      first = try store.secret(of: item.id, authorizedBy: authorization)
      if let first, first.storeRevision == old.found.revision {
        source.revision = first.storeRevision
        return (try declaration.decode(first.secret), source)
      }
    }
    let reading = try withItem(old) { found throws(SecretStoreError) -> SecretReading? in
      // Without a revision, checking for changes later does not count as a use of the vault. A use
      // delays automatic locking, and there is no item to use.
      source.revision = found.item == nil ? nil : found.revision
      guard let item = found.item else { return nil }
      if let first, item.id == old.found.item?.id { return first }
      if let next = try store.secret(of: item.id, authorizedBy: authorization) { return next }
      // Another writer removed the item after the search.
      first = nil
      throw .conflict
    }
    guard let reading else { return (nil, source) }
    // An item that was added since the search may be older.
    if reading.storeRevision != source.revision { source.revision = nil }
    return (try declaration.decode(reading.secret), source)
  }

  /// Searches for the oldest item that matches the declaration, if the store has changed since the
  /// last search; keeps the result unless a load or a write has ended since `endCount` was read.
  func find(_ known: FoundItem, since endCount: Int) throws(SecretStoreError) -> FoundItem {
    // The revision is read before the search, because one that is too new would hide a change.
    let revision = try store.revision()
    if revision == known.revision { return known }
    let item = try store.items(matching: declaration.query).first
    let found = FoundItem(item: item, revision: revision)
    state.withLock { if $0.endCount == endCount { $0.found = found } }
    return found
  }

  /// Calls a closure with the item that matches, and searches again if another writer changed it.
  func withItem<Result>(
    _ old: State, _ body: (FoundItem) throws(SecretStoreError) -> Result
  ) throws(SecretStoreError) -> Result {
    var known = old.found
    return try store.retrying { () throws(SecretStoreError) in
      let found = try find(known, since: old.endCount)
      // Another attempt must search again.
      known = FoundItem()
      return try body(found)
    }
  }
}

extension StoredPassword.State {
  fileprivate mutating func didRead(
    _ value: (any AnyBox)?, from source: ValueSource, keepingValue: Bool = false
  ) {
    status = value == nil ? .absent : .value
    if keepingValue || isUnsaved { return }
    self.value = value
    self.source = source
    lease = nil
  }
}

/// The state of the store when a value, or the absence of an item, was read or written.
struct ValueSource: Sendable {
  let changeCount: Int
  /// The store, if its revision determines whether the value is current.
  var store: (any SynchronouslyObservedStore)?
  /// The revision of the store; nil if the next get must read the store.
  var revision: StoreRevision?

  /// Whether reading the store again would certainly give the same value.
  var isUnchanged: Bool {
    guard let store, let revision else { return false }
    // Reading the store throws an error again.
    return (try? store.isUnchanged(since: revision)) == true
  }
}

/// The result of a search or write, in an object because each access copies the state.
final class FoundItem: Sendable {
  /// The item; nil if there was none, and before the first search.
  let item: SecretItem?
  /// The revision of the store before the search; nil if the next access must search again.
  let revision: StoreRevision?

  init(item: SecretItem? = nil, revision: StoreRevision? = nil) {
    (self.item, self.revision) = (item, revision)
  }
}
