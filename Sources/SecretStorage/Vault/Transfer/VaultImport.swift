import FoundationEssentials

struct VaultImport {
  private let source: VaultContents
  private var target: VaultContents
  private let isReplacing: Bool
  /// The latest allowed date, in microseconds since 1970, so that later items can have later dates.
  private let latest: Int64
  private(set) var report = ImportReport()

  private var identities = Set<ItemIdentity>()
  /// The last written items of the import, with their identifiers and revisions in the vault.
  private var written: [(item: VaultItem, id: SecretItem.ID, revision: UInt64)] = []
  /// The last record of the vault after the last written items.
  private var newest: ChainHead?

  /// An item to be written, its opened payload, and the item that it replaces.
  typealias Step = (item: VaultItem, payload: Secret, replaced: VaultItem?)

  init(_ source: VaultContents, into target: VaultContents, replacing isReplacing: Bool) {
    self.source = source
    self.target = target
    self.isReplacing = isReplacing
    latest = max(Date.now.microseconds, target.index.newestCreation) + Self.day
  }

  mutating func refresh(from location: VaultLocation) throws(SecretStoreError) {
    try target.refresh(from: location)
    try target.checkComplete()
  }

  /// Determines the outcomes for items, and returns the items to be written.
  mutating func classify(_ block: ArraySlice<VaultItem>) throws(SecretStoreError) -> [Step] {
    var steps: [Step] = []
    for found in block {
      let item = found.copy(
        as: found.id, revision: found.revision, with: found.secret, datedUpTo: latest)
      let decoded = found.decoded
      let (outcome, step) = try classify(item, decoded)
      let isRedated = step != nil && max(found.created, found.modified) > latest
      report.entries.append(.init(decoded.identity, outcome, isRedated: isRedated))
      if let step { steps.append(step) }
    }
    return steps
  }

  private mutating func classify(
    _ item: VaultItem, _ decoded: SecretItem
  ) throws(SecretStoreError) -> (ImportReport.Outcome, Step?) {
    if !item.isPortable { return (.refused("It is bound to the source device."), nil) }
    if !identities.insert(decoded.identity).inserted {
      return (.refused("The file has an older item with the same identity."), nil)
    }
    let payload = try source.payload(of: item)
    if let reason = refusalReason(item, decoded, payload) { return (.refused(reason), nil) }
    let existing = target.index.items(matching: .exactly(decoded.identity)).first
    let old = existing.flatMap { target.index[$0.id] }
    if let old, try isSame(old, item, decoded, payload) { return (.identical, nil) }
    let step: Step? = old == nil || isReplacing ? (item, payload, old) : nil
    return (old == nil ? .added : .conflict, step)
  }

  /// The earliest plausible date, in microseconds since 1970.
  private static let earliest: Int64 = -(1 << 53)
  /// The length of a day, in microseconds.
  private static let day: Int64 = 86_400_000_000
  /// The maximum number of bytes that constraints add to a secret: numbers, digest, salt and tag.
  private static let constraintsSize = 128

  /// Returns the reason why the vault cannot accept an item, as a sentence; nil if it can.
  private func refusalReason(
    _ item: VaultItem, _ decoded: SecretItem, _ payload: Secret
  ) -> String? {
    if min(item.created, item.modified) < Self.earliest { return "Its dates are implausible." }
    let access = decoded.attributes.accessControl
    do throws(SecretStoreError) {
      try ItemLimits.check(
        identity: decoded.identity, attributes: decoded.attributes,
        secretCount: payload.count - (access.flags.isEmpty ? 0 : Self.constraintsSize))
      if !access.flags.isEmpty { _ = try AccessConstraints(access.flags) }
      // If there is no vault yet, the new one will have every key that an item can need.
      if target.keys.table != nil { _ = try target.keys.secretKey(for: access.accessibility) }
      return nil
    } catch {
      return error.description
    }
  }

  private func isSame(
    _ existing: VaultItem, _ item: VaultItem, _ decoded: SecretItem, _ payload: Secret
  ) throws(SecretStoreError) -> Bool {
    guard existing.decoded.attributes == decoded.attributes, existing.unknown == item.unknown else {
      return false
    }
    // A damaged secret is not identical, so that an intact one can replace it.
    return try nilIfCorrupted(target.payload(of: existing)) == payload
  }

  mutating func draft(
    _ steps: [Step], _ device: DeviceState
  ) throws(SecretStoreError) -> VaultDraft? {
    written = []
    if steps.isEmpty { return nil }
    var draft = try VaultDraft(target, device)
    for accessibility in [Accessibility.whenUnlocked, .always] {
      let purpose = KeyPurpose.attributes(of: accessibility)
      // Only new items may share a record.
      let added = steps.filter { $0.replaced == nil && $0.item.attributesPurpose == purpose }
      var entries: [ItemEntry] = []
      for step in added {
        entries.append(.put(try sealed(step, as: target.index.newID(), draft)))
      }
      try draft.append(entries, as: accessibility)
    }
    for step in steps {
      guard let old = step.replaced else { continue }
      try draft.replace(old, by: sealed(step, as: old.id, draft))
    }
    newest = draft.composer.chain.head
    return draft
  }

  private mutating func sealed(
    _ step: Step, as id: SecretItem.ID, _ draft: VaultDraft
  ) throws(SecretStoreError) -> VaultItem {
    let revision = draft.nextRevision
    let sealed = try draft.composer.keys.seal(
      step.payload, of: id, revision: revision, step.item.accessControl)
    written.append((step.item, id, revision))
    return step.item.copy(as: id, revision: revision, with: sealed)
  }

  /// Checks that the last written items, as read back, are equal to the imported ones.
  func checkWritten() throws(SecretStoreError) {
    for (expected, id, revision) in written {
      // An item may differ only if another writer has changed it in the meantime.
      var isSame = target.chain.head != newest
      if let item = target.index[id], item.revision == revision {
        isSame = try target.payload(of: item) == source.payload(of: expected)
        isSame = isSame && item.hasSameAttributes(as: expected)
      }
      guard isSame else {
        throw .corrupted(
          "Record \(revision) of the vault does not contain the item \(id.uuid) as imported")
      }
    }
  }
}
