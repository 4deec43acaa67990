/// A change of a vault that waits for its turn.
struct VaultWrite: Sendable {
  /// What a write touches.
  ///
  /// Two writes that touch the same do not go into one batch, because the second must see what the
  /// first did.
  enum Footprint: Hashable, Sendable {
    case item(SecretItem.ID)
    case identity(ItemIdentity)
  }

  let footprint: Footprint
  /// Whether the change takes an item away, which a full disk must not prevent.
  var isRemoval = false
  /// Puts the change into a draft, and says what the item is then, if it still is.
  let prepare:
    @Sendable (inout VaultDraft, inout VaultContents) throws(SecretStoreError) -> SecretItem?
}

extension VaultWrite {
  static func add(
    _ payload: Secret, identity: ItemIdentity, attributes: ItemAttributes,
    naming source: @escaping @Sendable () throws(SecretStoreError) -> SecretItem.ID =
      SecretItem.ID.random
  ) -> VaultWrite {
    VaultWrite(footprint: .identity(identity)) { draft, contents throws(SecretStoreError) in
      if contents.sealedRecords > 0 { throw contents.keys.lockReason }
      guard contents.index.items(matching: .exactly(identity)).isEmpty else { throw .duplicate }
      let now = draft.now()
      let item = SecretItem(
        id: try draft.newID(besides: contents.index, from: source), identity: identity,
        attributes: attributes, creationDate: now,
        modificationDate: now, revision: draft.nextRevision)
      try draft.put(item, payload)
      return item
    }
  }

  static func update(
    _ id: SecretItem.ID, expecting revision: UInt64, attributes: ItemAttributes?, payload: Secret?
  ) -> VaultWrite {
    VaultWrite(footprint: .item(id)) { draft, contents throws(SecretStoreError) in
      let entry = try contents.entry(id, expecting: revision)
      guard let entry else { throw .conflict }
      let old = entry.item
      let attributes = attributes ?? old.attributes
      // With the secret that is there, which has its size already.
      try ItemLimits.check(identity: old.identity, attributes: attributes, secretCount: 0)
      let item = SecretItem(
        id: id, identity: old.identity, attributes: attributes,
        creationDate: old.creationDate, modificationDate: draft.now(),
        revision: draft.nextRevision)
      var payload = payload
      if payload == nil, attributes.accessControl != old.attributes.accessControl {
        guard attributes.accessControl.flags == old.attributes.accessControl.flags else {
          fatalError("Other access flags were to be written with what was sealed for the old ones.")
        }
        // Under another class key, the secret has to be sealed anew.
        payload = try contents.open(entry)
      }
      try draft.replace(entry, by: item, payload)
      return item
    }
  }

  static func remove(_ id: SecretItem.ID, expecting revision: UInt64) -> VaultWrite {
    VaultWrite(footprint: .item(id), isRemoval: true) {
      draft, contents throws(SecretStoreError) in
      if let entry = try contents.entry(id, expecting: revision) {
        try draft.append(
          .remove(id, revision: revision),
          as: entry.accessControl.accessibility)
      }
      return nil
    }
  }
}

extension VaultDraft {
  /// Appends an item for which something new is sealed.
  fileprivate mutating func put(
    _ item: SecretItem, _ payload: Secret, unknown: ArraySlice<UInt8> = []
  ) throws(SecretStoreError) {
    let accessControl = item.attributes.accessControl
    let accessibility = accessControl.accessibility
    let (id, key) = try keys.secretKey(for: accessibility)
    guard let table = keys.table else { throw keys.lockReason }
    let sealed = try SealedSecret.seal(
      payload, of: item.id, revision: item.revision, accessibility: accessibility,
      flags: accessControl.flags, under: id, key, in: table.vaultID, cipher)
    try append(
      .put(VaultItem(item: item, secret: sealed, unknown: unknown)), as: accessibility)
  }

  /// Appends what an item has become.
  fileprivate mutating func replace(
    _ entry: VaultItem, by item: SecretItem, _ payload: Secret?
  ) throws(SecretStoreError) {
    let old = entry.accessControl.accessibility
    let new = item.attributes.accessControl.accessibility
    if let payload {
      try put(item, payload, unknown: entry.unknown)
    } else {
      try append(.put(VaultItem(item: item, secret: entry.secret, unknown: entry.unknown)), as: new)
    }
    if KeyPurpose.attributes(of: old) != .attributes(of: new) {
      // Who has only the old key of the attributes must not take the old state for the present one.
      try append(.remove(item.id, revision: entry.revision), as: old)
    }
  }
}

extension VaultContents {
  /// An item of an expected revision; nil when it is not there at all.
  func entry(
    _ id: SecretItem.ID, expecting revision: UInt64
  ) throws(SecretStoreError) -> VaultItem? {
    guard let entry = index[id] else {
      if sealedRecords > 0 { throw keys.lockReason }
      return nil
    }
    guard entry.revision == revision else { throw .conflict }
    return entry
  }
}
