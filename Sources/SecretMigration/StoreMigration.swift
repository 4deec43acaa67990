import SecretStorage

/// The migration of secrets into a store, one at a time.
struct StoreMigration {
  private let store: any SecretStore
  private let conflicts: ImportConflicts
  private let isDryRun: Bool
  private var identities = Set<ItemIdentity>()
  var report = MigrationReport()

  init(to store: any SecretStore, _ conflicts: ImportConflicts, isDryRun: Bool) {
    self.store = store
    self.conflicts = conflicts
    self.isDryRun = isDryRun
  }

  mutating func migrate(_ foreign: ForeignSecret) throws(MigrationError) {
    let outcome = try outcome(of: foreign)
    report.entries.append(
      MigrationReport.Entry(place: foreign.place, identity: foreign.identity, outcome: outcome))
  }

  private mutating func outcome(
    of foreign: ForeignSecret
  ) throws(MigrationError) -> ImportReport.Outcome {
    if !identities.insert(foreign.identity).inserted {
      return .refused("The source has another secret of the same identity before it.")
    }
    do throws(SecretStoreError) {
      try ItemLimits.check(
        identity: foreign.identity, attributes: foreign.attributes,
        secretCount: foreign.secret.count)
      return try written(foreign)
    } catch {
      switch error {
      case .unsupported, .invalid, .denied, .wrongApplicationPassword:
        return .refused(error.description)
      case .corrupted(Self.mismatch):
        throw .notReadBack(place: foreign.place)
      default:
        throw .store(error)
      }
    }
  }

  /// How often somebody else may be faster before that is an error.
  private static let attempts = 10
  private static let mismatch = "What was read back is not what was written"

  private func written(
    _ foreign: ForeignSecret
  ) throws(SecretStoreError) -> ImportReport.Outcome {
    for _ in 1..<Self.attempts {
      do throws(SecretStoreError) {
        return try writtenIfUndisturbed(foreign)
      } catch {
        // Somebody else added, changed or removed the item after it was looked for.
        guard error == .duplicate || error == .conflict else { throw error }
      }
    }
    return try writtenIfUndisturbed(foreign)
  }

  private func writtenIfUndisturbed(
    _ foreign: ForeignSecret
  ) throws(SecretStoreError) -> ImportReport.Outcome {
    guard let existing = try store.item(foreign.identity) else {
      try checkPasscode(foreign)
      if !isDryRun {
        try readBack(
          store.add(
            foreign.secret, identity: foreign.identity, attributes: foreign.attributes), foreign)
      }
      return .added
    }
    if try store.has(foreign, as: existing) { return .identical }
    if conflicts == .replace {
      try checkPasscode(foreign)
      if !isDryRun {
        try readBack(
          store.update(
            existing.id, expecting: existing.revision, attributes: foreign.attributes,
            secret: foreign.secret), foreign)
      }
    }
    return .conflict
  }

  /// Refuses what a vault without a passphrase would refuse, which a dry run would not notice.
  private func checkPasscode(_ foreign: ForeignSecret) throws(SecretStoreError) {
    let accessibility = foreign.attributes.accessControl.accessibility
    guard isDryRun, accessibility == .whenPasscodeSetThisDeviceOnly,
      let vault = store as? SecretVault
    else { return }
    if try !vault.hasPassphrase {
      throw .unsupported("accessibility whenPasscodeSetThisDeviceOnly without a passphrase")
    }
  }

  private func readBack(_ item: SecretItem, _ foreign: ForeignSecret) throws(SecretStoreError) {
    guard let found = try store.item(foreign.identity), found.id == item.id,
      found.revision == item.revision
    else {
      // Others may have changed or removed it since, but it cannot have vanished by itself.
      if try store.item(foreign.identity) == nil { throw .corrupted(Self.mismatch) }
      return
    }
    // What asks for a proof cannot be looked into.
    let isSame =
      found.attributes.accessControl.flags.isEmpty
      ? try store.has(foreign, as: found) : found.attributes == foreign.attributes
    if !isSame { throw .corrupted(Self.mismatch) }
  }

  /// Whether a store has all that a source has, so that the source is not needed any more.
  func holds(_ source: ForeignSecrets) throws(MigrationError) -> Bool {
    guard source.unreadable.isEmpty, !report.entries.contains(where: \.outcome.isRefusal) else {
      return false
    }
    do throws(SecretStoreError) {
      for foreign in source.secrets {
        guard let item = try store.item(foreign.identity), try store.has(foreign, as: item) else {
          return false
        }
      }
      if let vault = store as? SecretVault, try !vault.verify().isSound {
        throw .corrupted("The vault is damaged")
      }
      return true
    } catch {
      throw .store(error)
    }
  }
}

extension SecretStore {
  /// The item of exactly an identity, if there is one.
  fileprivate func item(_ identity: ItemIdentity) throws(SecretStoreError) -> SecretItem? {
    try items(matching: .exactly(identity)).first
  }

  /// Whether an item has the attributes and the secret of a foreign one, as far as it can be looked
  /// into.
  fileprivate func has(
    _ foreign: ForeignSecret, as item: SecretItem
  ) throws(SecretStoreError) -> Bool {
    guard item.attributes == foreign.attributes, item.attributes.accessControl.flags.isEmpty else {
      return false
    }
    do throws(SecretStoreError) {
      return try secret(of: item.id)?.secret == foreign.secret
    } catch {
      // A secret that cannot be opened any more is not the same, and may be replaced by a sound
      // one.
      guard case .corrupted = error else { throw error }
      return false
    }
  }
}
