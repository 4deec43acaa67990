import FoundationEssentials

/// The import of items into a vault, a part of them at a time.
struct VaultImport {
  private let source: VaultContents
  /// The vault as it is in its log.
  private var target: VaultContents
  private let conflicts: ImportConflicts
  /// The latest date of an item, in microseconds since 1970.
  ///
  /// One of a clock that ran ahead would put every later item of the vault after it.
  private let latest: Int64
  private(set) var report = ImportReport()

  private var identities = Set<ItemIdentity>()
  private var written: [Written] = []
  /// The chain up to the last record that was written, and of which vault.
  private(set) var newest: (chain: VaultChain, vaultID: [UInt8])?

  /// An item of the import that is to be written.
  struct Step {
    let entry: VaultItem
    /// What the import sealed for the item.
    let payload: Secret
    /// The item of the vault that it takes the place of.
    let replaced: VaultItem?
  }

  /// What was written for an item of the import.
  private struct Written {
    let entry: VaultItem
    let id: SecretItem.ID
    let revision: UInt64
  }

  init(_ source: VaultContents, into target: VaultContents, _ conflicts: ImportConflicts) {
    self.source = source
    self.target = target
    self.conflicts = conflicts
    latest = max(Date.now.microseconds, target.index.newestCreation) + Self.day
  }

  /// Reads what was appended to the vault, by whatever process.
  mutating func refresh(from parts: VaultParts) throws(SecretStoreError) {
    try target.refresh(from: parts)
    try target.checkWhole()
  }

  /// Decides what becomes of items, and returns those that are to be written.
  mutating func judge(_ block: ArraySlice<VaultItem>) throws(SecretStoreError) -> [Step] {
    var steps: [Step] = []
    for found in block {
      let entry = found.copy(datedUpTo: latest)
      let item = found.item
      let (outcome, step) = try judge(entry, item)
      let isRedated = step != nil && max(found.created, found.modified) > latest
      report.entries.append(
        ImportReport.Entry(item: item, outcome: outcome, isRedated: isRedated))
      if let step { steps.append(step) }
    }
    return steps
  }

  private mutating func judge(
    _ entry: VaultItem, _ item: SecretItem
  ) throws(SecretStoreError) -> (ImportReport.Outcome, Step?) {
    if !entry.isPortable {
      return (.refused("It is bound to the device that the file is from."), nil)
    }
    if !identities.insert(item.identity).inserted {
      return (.refused("The file has an older item of the same identity."), nil)
    }
    let payload = try source.payload(of: entry)
    if let reason = reasonToRefuse(entry, item, payload) { return (.refused(reason), nil) }
    let existing = target.index.items(matching: .exactly(item.identity)).first
    guard let existing = existing.flatMap({ target.index[$0.id] }) else {
      return (.added, Step(entry: entry, payload: payload, replaced: nil))
    }
    if try isSame(existing, entry, item, payload) { return (.identical, nil) }
    switch conflicts {
    case .keepExisting: return (.conflict, nil)
    case .replace: return (.conflict, Step(entry: entry, payload: payload, replaced: existing))
    }
  }

  /// Dates before this, in microseconds since 1970, come from no clock.
  private static let earliest: Int64 = -(1 << 53)
  /// In microseconds.
  private static let day: Int64 = 86_400_000_000
  /// What stands beside a secret that has access flags: some numbers, a digest, a salt and a tag.
  private static let constraintsCount = 128

  private func reasonToRefuse(_ entry: VaultItem, _ item: SecretItem, _ payload: Secret) -> String?
  {
    guard min(entry.created, entry.modified) >= Self.earliest else {
      return "Its dates are not of this time."
    }
    let access = item.attributes.accessControl
    do throws(SecretStoreError) {
      try ItemLimits.check(
        identity: item.identity, attributes: item.attributes,
        secretCount: payload.count - (access.flags.isEmpty ? 0 : Self.constraintsCount))
      if !access.flags.isEmpty { _ = try AccessConstraints(access.flags) }
      // A vault that does not exist yet gets every key that an item can need.
      if target.keys.table != nil { _ = try target.keys.secretKey(for: access.accessibility) }
      return nil
    } catch {
      return error.description
    }
  }

  private func isSame(
    _ existing: VaultItem, _ entry: VaultItem, _ item: SecretItem, _ payload: Secret
  ) throws(SecretStoreError) -> Bool {
    guard existing.item.attributes == item.attributes, existing.unknown == entry.unknown else {
      return false
    }
    do {
      return try target.payload(of: existing) == payload
    } catch {
      // A secret that cannot be opened any more is not the same, and may be replaced by a sound
      // one.
      guard case .corrupted = error else { throw error }
      return false
    }
  }

  /// The records that write items; nil when there are none.
  mutating func draft(
    _ steps: [Step], _ device: DeviceState
  ) throws(SecretStoreError) -> VaultDraft? {
    written = []
    if steps.isEmpty { return nil }
    var draft = try VaultDraft(target, device)
    for accessibility in [Accessibility.whenUnlocked, .always] {
      let purpose = KeyPurpose.attributes(of: accessibility)
      // Only what is in no record before may stand in one with others.
      let added = steps.filter { $0.replaced == nil && $0.entry.attributesPurpose == purpose }
      var entries: [ItemEntry] = []
      for step in added {
        let id = try draft.newID(besides: target.index)
        entries.append(try put(step, as: id, draft))
      }
      try draft.append(entries, as: accessibility)
    }
    for step in steps {
      guard let old = step.replaced else { continue }
      try draft.append(
        put(step, as: old.id, draft), as: step.entry.accessControl.accessibility)
      if old.attributesPurpose != step.entry.attributesPurpose {
        // Who has only the old key of the attributes must not take the old state for the present
        // one.
        try draft.append(
          .remove(old.id, revision: old.revision), as: old.accessControl.accessibility)
      }
    }
    if let table = draft.keys.table { newest = (draft.chain, table.vaultID) }
    return draft
  }

  /// The entry for the next record of a draft.
  private mutating func put(
    _ step: Step, as id: SecretItem.ID, _ draft: VaultDraft
  ) throws(SecretStoreError) -> ItemEntry {
    guard let table = draft.keys.table else { throw draft.keys.lockReason }
    let (key, secretKey) = try draft.keys.secretKey(for: step.entry.accessControl.accessibility)
    let revision = draft.nextRevision
    let sealed = try step.entry.sealing(
      step.payload, as: id, revision: revision, under: key, secretKey, in: table.vaultID,
      draft.cipher)
    written.append(Written(entry: step.entry, id: id, revision: revision))
    return .put(step.entry.copy(as: id, revision: revision, with: sealed))
  }

  /// Compares what was written last, as it was read back, with the import.
  func checkWritten() throws(SecretStoreError) {
    for item in written {
      guard let entry = target.index[item.id], entry.revision == item.revision else {
        // Others may have changed or removed it since, if anybody wrote anything.
        if target.chain.head == newest?.chain.head { throw Self.mismatch(item) }
        continue
      }
      let isSame = try target.payload(of: entry) == source.payload(of: item.entry)
      if !isSame || !entry.hasSameAttributes(as: item.entry) { throw Self.mismatch(item) }
    }
  }

  private static func mismatch(_ item: Written) -> SecretStoreError {
    .corrupted(
      """
      Record \(item.revision) of the vault does not have the item \(item.id.bytes) as it was imported
      """)
  }
}
