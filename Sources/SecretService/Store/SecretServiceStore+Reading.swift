import Concurrency
import FoundationEssentials
public import SecretStorage

extension SecretServiceStore {
  /// Returns a number that changes with the changes of any program, which the daemon announces.
  ///
  /// - Throws: `SecretStoreError.unavailable` without a daemon.
  public func revision() throws(SecretStoreError) -> StoreRevision {
    try access.withDaemon(by: Deadline(after: timeLimit)) { daemon, _ in
      try daemon.synchronize()
      return StoreRevision(daemon.changeCount)
    }
  }

  /// Returns the items that match a query, the oldest first, in linear time.
  ///
  /// If other programs have added items with one identity, only the oldest is returned, and
  /// `SecretStores.onFailure` is told once.
  ///
  /// - Throws: `SecretStoreError.locked` if the default keyring or a matching item
  ///   is locked; `SecretStoreError.unavailable` without a daemon.
  public func items(matching query: ItemQuery) throws(SecretStoreError) -> [SecretItem] {
    let (items, hidden) = try access.withDaemon(by: Deadline(after: timeLimit)) { daemon, paths in
      mendIfNeeded(daemon)
      return try find(query, daemon, &paths)
    }
    report(duplicates: hidden)
    return items.map(\.item)
  }

  /// Returns the secret of an item; nil if the item no longer exists.
  ///
  /// - Throws: `SecretStoreError.locked`,
  ///   `SecretStoreError.corrupted` if another program has damaged it, or
  ///   `SecretStoreError.unavailable` without a daemon.
  public func secret(
    of item: SecretItem.ID, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretReading? {
    try access.withDaemon(by: Deadline(after: timeLimit)) { daemon, paths in
      mendIfNeeded(daemon)
      // Repeated if the item changes between its attributes and its secret.
      for _ in 0..<16 {
        guard let found = try locate(item, daemon, &paths) else { return nil }
        guard
          let stored = try ifPresent({ () throws(BusFailure) in
            try daemon.secret(of: found.path)
          })
        else {
          daemon.forget(found.path)
          paths[item] = nil
          continue
        }
        if daemon.knownRecord(of: found.path) == nil { continue }
        guard let secret = layout.isOwn ? StoredSecret.decode(stored) : stored else {
          throw SecretStoreError.corrupted(
            "Another program has changed the secret of an item of the Secret Service")
        }
        return SecretReading(
          secret: secret, itemRevision: found.item.revision,
          storeRevision: StoreRevision(daemon.changeCount), isText: found.isText)
      }
      throw SecretStoreError.conflict
    }
  }

  /// Returns the matching items, and those that are hidden by older ones with their identities.
  func find(
    _ query: ItemQuery, _ daemon: SecretDaemon, _ paths: inout [SecretItem.ID: String]
  ) throws -> (items: [DaemonItem], hidden: [SecretItem.ID]) {
    try checkUnlocked(daemon)
    var found: [DaemonItem] = []
    for attributes in layout.searches(for: query) {
      let (unlocked, locked) = try daemon.search(attributes)
      if !locked.isEmpty { throw SecretStoreError.locked }
      for path in unlocked {
        guard let item = try readItem(at: path.value, for: query, daemon),
          query.includes(item.item.identity)
        else { continue }
        found.append(item)
      }
    }
    found.sort { SecretItem.isOlder($0.item, $1.item) }
    if case .existing = layout.kind {
      for item in found { paths[item.item.id] = item.path }
      return (found, [])
    }
    var seen: Set<ItemIdentity> = []
    var hidden: [SecretItem.ID] = []
    let items = found.filter { item in
      if seen.insert(item.item.identity).inserted { return true }
      hidden.append(item.item.id)
      return false
    }
    for item in items { paths[item.item.id] = item.path }
    return (items, hidden)
  }

  /// Returns an item by its identifier; nil if it does not exist.
  func locate(
    _ id: SecretItem.ID, _ daemon: SecretDaemon, _ paths: inout [SecretItem.ID: String]
  ) throws -> DaemonItem? {
    if let path = paths[id], let item = try readItem(at: path, for: .all, daemon),
      item.item.id == id
    {
      return item
    }
    paths[id] = nil
    if !layout.isOwn {
      return try find(.all, daemon, &paths).items.first { $0.item.id == id }
    }
    try checkUnlocked(daemon)
    let (unlocked, locked) = try daemon.search([ItemLayout.idKey: id.uuid.uuidString])
    if !locked.isEmpty { throw SecretStoreError.locked }
    let items = try unlocked.compactMap { try readItem(at: $0.value, for: .all, daemon) }
      .filter { $0.item.id == id }
    // A copy that another program made has the same identifier.
    guard let item = items.min(by: { $0.path < $1.path }) else { return nil }
    paths[id] = item.path
    return item
  }

  private func checkUnlocked(_ daemon: SecretDaemon) throws {
    guard let collection = try daemon.defaultCollection(),
      let isLocked = try ifPresent({ () throws(BusFailure) in try daemon.isLocked(collection) })
    else {
      daemon.forgetDefaultCollection()
      throw SecretStoreError.noCollection
    }
    if isLocked { throw SecretStoreError.locked }
  }

  /// Returns the item at a path; nil if it no longer exists, or is none of the layout.
  private func readItem(
    at path: String, for query: ItemQuery, _ daemon: SecretDaemon
  ) throws -> DaemonItem? {
    let record = try ifPresent { () throws(BusFailure) in
      try daemon.record(of: path, withDetails: !layout.isOwn)
    }
    guard let record else { return nil }
    return layout.isOwn
      ? layout.ownItem(at: path, record.attributes)
      : layout.foreignItem(at: path, record, for: query)
  }

  /// Calls a closure; returns nil if the object that it calls does not exist.
  func ifPresent<Result>(
    _ body: () throws(BusFailure) -> Result
  ) throws(BusFailure) -> Result? {
    do throws(BusFailure) {
      return try body()
    } catch {
      if error.isMissingObject { return nil }
      throw error
    }
  }

  private func report(duplicates: [SecretItem.ID]) {
    for id in duplicates where access.reported.withLock({ $0.insert(id).inserted }) {
      SecretStores.onFailure(
        SecretStorageFailure(
          .maintenance,
          .invalid(
            """
            Another program has added an item to the Secret Service with the identity of an older one, \
            which is used; remove one of them, for example in Seahorse (locket:id \(id.uuid))
            """)))
    }
  }
}
