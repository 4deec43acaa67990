struct VaultWrite: Sendable {
  /// What a change affects, once in a batch: a second write must see the effect of the first.
  enum Target: Hashable, Sendable {
    case item(SecretItem.ID)
    case identity(ItemIdentity)
  }

  let target: Target
  /// Whether the change adds an item, for which a vault is created.
  var isAddition: Bool { if case .identity = target { true } else { false } }
  /// Whether the change removes an item, which a full disk must not prevent.
  var isRemoval = false
  /// Adds the change to a draft, and returns the resulting item; nil if it was removed.
  ///
  /// On an error, the draft has no new record.
  let prepare:
    @Sendable (inout VaultDraft, inout VaultContents) throws(SecretStoreError) -> SecretItem?

  static func add(
    _ payload: Secret, identity: ItemIdentity, attributes: ItemAttributes
  ) -> VaultWrite {
    VaultWrite(target: .identity(identity)) { draft, contents throws(SecretStoreError) in
      if contents.mayHaveMore { throw contents.keys.lockReason }
      guard contents.index.items(matching: .exactly(identity)).isEmpty else { throw .duplicate }
      let now = draft.nextDate()
      let item = SecretItem(
        id: try contents.index.newID(), identity: identity, attributes: attributes,
        creationDate: now, modificationDate: now, revision: draft.nextRevision)
      let sealed = try draft.composer.keys.seal(
        payload, of: item.id, revision: item.revision, attributes.accessControl)
      try draft.append(
        [.put(VaultItem(item: item, secret: sealed, unknown: []))],
        as: attributes.accessControl.accessibility)
      return item
    }
  }

  /// Throws `conflict` if the item is not the expected one, or if the payload is plain, the secret
  /// itself, and access flags need another one.
  static func update(
    _ id: SecretItem.ID, expecting revision: UInt64, attributes changed: ItemAttributes?,
    payload: Secret?, isPlain: Bool = false
  ) -> VaultWrite {
    VaultWrite(target: .item(id)) { draft, contents throws(SecretStoreError) in
      guard let stored = try contents.item(id, expecting: revision) else { throw .conflict }
      let old = stored.decoded
      let attributes = changed ?? old.attributes
      let (access, oldAccess) = (attributes.accessControl, old.attributes.accessControl)
      let isSealedAnew = payload != nil || access != oldAccess
      let flags = access.flags.union(oldAccess.flags)
      if isPlain, isSealedAnew, !flags.isEmpty { throw .conflict }
      // The stored secret already passed the size check.
      try ItemLimits.check(identity: old.identity, attributes: attributes, secretCount: 0)
      let item = SecretItem(
        id: id, identity: old.identity, attributes: attributes,
        creationDate: old.creationDate, modificationDate: draft.nextDate(),
        revision: draft.nextRevision)
      let secret: SealedSecret
      if isSealedAnew {
        // Without a payload, the flags are the same, and only the class key changes.
        let payload = if let payload { payload } else { try contents.payload(of: stored) }
        secret = try draft.composer.keys.seal(payload, of: id, revision: item.revision, access)
      } else {
        secret = stored.secret
      }
      let new =
        changed == nil
        ? stored.copy(
          as: id, revision: item.revision, with: secret,
          modified: item.modificationDate.microseconds)
        : VaultItem(item: item, secret: secret, unknown: stored.unknown)
      if stored.attributesPurpose == new.attributesPurpose {
        try draft.replace(stored, by: new)
      } else {
        // If the second record cannot be sealed, the first one must not be appended either.
        var moved = draft
        try moved.replace(stored, by: new)
        draft = moved
      }
      return item
    }
  }

  static func remove(_ id: SecretItem.ID, expecting revision: UInt64) -> VaultWrite {
    VaultWrite(target: .item(id), isRemoval: true) {
      draft, contents throws(SecretStoreError) in
      if let stored = try contents.item(id, expecting: revision) {
        try draft.append(
          [.remove(id, revision: revision)], as: stored.accessControl.accessibility)
      }
      return nil
    }
  }
}
