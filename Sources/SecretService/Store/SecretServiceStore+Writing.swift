import FoundationEssentials
public import SecretStorage

extension SecretServiceStore {
  /// Adds an item to the default keyring, and returns the stored item.
  ///
  /// - Throws: `SecretStoreError.duplicate`,
  ///   `SecretStoreError.unsupported` for an accessibility, access flags or
  ///   attributes that the daemon cannot keep, `SecretStoreError.invalid` for a
  ///   secret that is too large, or in a layout of another program has control
  ///   characters, `SecretStoreError.readOnly` for items of others,
  ///   `SecretStoreError.denied` if the daemon's prompt was dismissed,
  ///   `SecretStoreError.uncertain` if the daemon ended
  ///   during the call, or another `SecretStoreError`.
  public func add(
    _ secret: Secret, identity: ItemIdentity, attributes: ItemAttributes,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem {
    if case .existing = layout.kind {
      throw .readOnly(
        """
        No item of the Secret Service has the given attributes, and an item of another program is never \
        added. Use a store with a layout.
        """)
    }
    try check(identity, attributes, secret)
    let stored = layout.isOwn ? StoredSecret.encode(secret) : secret
    let date = Date.wholeMicroseconds
    let new = SecretItem(
      id: SecretItem.ID(uuid: UUID()), identity: identity, attributes: attributes,
      creationDate: date, modificationDate: date, revision: 1)
    let daemonAttributes =
      layout.isOwn
      ? layout.ownAttributes(of: new) : try layout.foreignAttributes(of: identity)
    return try writing { daemon, paths, _ in
      if try !find(.exactly(identity), daemon, &paths).items.isEmpty {
        throw SecretStoreError.duplicate
      }
      guard let collection = try daemon.defaultCollection() else {
        throw SecretStoreError.noCollection
      }
      let path = try settling(daemon) { () throws(BusFailure) in
        try daemon.create(
          in: collection, label: layout.displayedLabel(attributes.label, of: identity),
          attributes: daemonAttributes, secret: stored)
      } after: {
        // Only an item of Locket is known by its identifier.
        try layout.isOwn
          ? locate(new.id, daemon, &paths)?.path
          : find(.exactly(identity), daemon, &paths).items.first?.path
      }
      daemon.countOwnChange(of: path)
      if layout.isOwn {
        paths[new.id] = path
        return new
      }
      guard let item = try find(.exactly(identity), daemon, &paths).items.first else {
        throw SecretStoreError.conflict
      }
      return item.item
    }
  }

  /// Changes the attributes, the secret, or both of an item, and returns the stored item.
  ///
  /// - Throws: `SecretStoreError.conflict` if the item was removed or has another
  ///   revision, or an error as in ``add(_:identity:attributes:authorizedBy:)``.
  public func update(
    _ item: SecretItem.ID, expecting revision: UInt64, attributes: ItemAttributes?, secret: Secret?,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem {
    try checkWritable()
    let stored = secret.map { layout.isOwn ? StoredSecret.encode($0) : $0 }
    return try writing { daemon, paths, files in
      let current = try current(item, expecting: revision, daemon, &paths)
      let old = current.item
      let new = SecretItem(
        id: old.id, identity: old.identity, attributes: attributes ?? old.attributes,
        creationDate: old.creationDate,
        modificationDate: max(.wholeMicroseconds, old.modificationDate),
        revision: old.revision &+ 1)
      try check(new.identity, new.attributes, secret)
      try change(current, to: new, stored, daemon, files)
      daemon.countOwnChange(of: current.path)
      if layout.isOwn { return new }
      guard let item = try locate(item, daemon, &paths) else { throw SecretStoreError.conflict }
      return item.item
    }
  }

  /// Removes an item, if it exists.
  ///
  /// - Throws: `SecretStoreError.conflict` if the item has another revision, or an
  ///   error as in ``add(_:identity:attributes:authorizedBy:)``.
  public func remove(_ item: SecretItem.ID, expecting revision: UInt64) throws(SecretStoreError) {
    try checkWritable()
    try writing { daemon, paths, _ in
      guard let current = try located(item, daemon, &paths) else { return }
      if current.item.revision != revision { throw SecretStoreError.conflict }
      _ = try settling(daemon) { () throws(BusFailure) in
        try ifPresent { () throws(BusFailure) in try daemon.delete(current.path) }
        return true
      } after: {
        try located(item, daemon, &paths) == nil ? true : nil
      }
      daemon.countOwnChange(of: current.path)
      paths[item] = nil
    }
  }

  /// Sets the label, then the secret, and the attributes last, since only they are announced.
  private func change(
    _ current: DaemonItem, to new: SecretItem, _ stored: Secret?, _ daemon: SecretDaemon,
    _ files: WriterFiles
  ) throws {
    let attributes =
      layout.isOwn
      ? layout.ownAttributes(of: new, keeping: current.attributes)
      : layout.foreignAttributes(afterChangeOf: current)
    let label = layout.displayedLabel(new.attributes.label, of: new.identity)
    if label != layout.displayedLabel(current.item.attributes.label, of: new.identity) {
      try daemon.setLabel(label, of: current.path)
    }
    if let stored {
      try files.write(
        WriterFiles.Intent(path: current.path, attributes: attributes, stored: stored))
      do {
        _ = try settling(daemon) { () throws(BusFailure) in
          try daemon.setSecret(stored, of: current.path)
          return true
        } after: {
          try daemon.secret(of: current.path) == stored ? true : nil
        }
      } catch let error as SecretStoreError {
        // The note of an uncertain change is for the next access.
        if case .uncertain = error { throw error }
        try files.removeIntent()
        throw error
      }
    }
    do {
      _ = try settling(daemon) { () throws(BusFailure) in
        try daemon.setAttributes(attributes, of: current.path)
        return true
      } after: {
        daemon.forget(current.path)
        let found = try daemon.record(of: current.path, withDetails: false).attributes
        return found[ItemLayout.revisionKey] == attributes[ItemLayout.revisionKey] ? true : nil
      }
    } catch let error as SecretStoreError where stored != nil {
      throw SecretStoreError.uncertain(
        "The secret was changed, but not its attributes; the next access completes it. \(error)")
    }
    if stored != nil { try files.removeIntent() }
  }

  /// Returns an item as it is now, without what was known before.
  private func located(
    _ item: SecretItem.ID, _ daemon: SecretDaemon, _ paths: inout [SecretItem.ID: String]
  ) throws -> DaemonItem? {
    if let path = paths[item] { daemon.forget(path) }
    return try locate(item, daemon, &paths)
  }

  private func current(
    _ item: SecretItem.ID, expecting revision: UInt64, _ daemon: SecretDaemon,
    _ paths: inout [SecretItem.ID: String]
  ) throws -> DaemonItem {
    guard let current = try located(item, daemon, &paths), current.item.revision == revision else {
      throw SecretStoreError.conflict
    }
    return current
  }

  private func checkWritable() throws(SecretStoreError) {
    if case .existing(_, .refused) = layout.kind {
      throw .readOnly(
        """
        Items of other programs are not changed. Pass `writes: .inPlace` if they should be.
        """)
    }
  }

  private func check(
    _ identity: ItemIdentity, _ attributes: ItemAttributes, _ secret: Secret?
  ) throws(SecretStoreError) {
    if !attributes.accessControl.flags.isEmpty { throw .unsupported("access flags") }
    if attributes.accessControl.accessibility != .whenUnlocked {
      throw .unsupported("an accessibility other than whenUnlocked")
    }
    if let secret, secret.count > StoredSecret.largestSize {
      throw .invalid(
        """
        A secret in the Secret Service must not exceed \(StoredSecret.largestSize) bytes; this one has \
        \(secret.count)
        """)
    }
    try ItemLimits.check(
      identity: identity, attributes: attributes, secretCount: secret?.count ?? 0)
    if layout.isOwn { return }
    if let secret, StoredSecret.hasControlCharacters(secret) {
      throw .invalid(
        """
        A secret that other programs read must not contain line breaks or other control characters, \
        because a line break destroys a GNOME keyring that has no password. Remove them, or use \
        Locket's own layout
        """)
    }
    if attributes != ItemAttributes(label: attributes.label) {
      throw .unsupported("attributes other than a label, in items of another program's layout")
    }
  }
}
