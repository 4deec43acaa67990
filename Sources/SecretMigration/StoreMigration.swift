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
      // Another writer may add, change or remove the item after the search.
      return try store.retrying { () throws(SecretStoreError) in try written(foreign) }
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

  private static let mismatch = "The value read back is not the one written"

  private func written(
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

  /// Throws the error of a vault without a passphrase, which a dry run would not notice.
  private func checkPasscode(_ foreign: ForeignSecret) throws(SecretStoreError) {
    let accessibility = foreign.attributes.accessControl.accessibility
    guard isDryRun, accessibility == .whenPasscodeSetThisDeviceOnly,
      let vault = store as? SecretVault
    else { return }
    if try !vault.findsPassphrase() {
      throw .unsupported("accessibility whenPasscodeSetThisDeviceOnly without a passphrase")
    }
  }

  private func readBack(_ item: SecretItem, _ foreign: ForeignSecret) throws(SecretStoreError) {
    guard let found = try store.item(foreign.identity), found.id == item.id,
      found.revision == item.revision
    else {
      // Other writers may have changed the item, but without them it cannot be missing.
      if try store.item(foreign.identity) == nil { throw .corrupted(Self.mismatch) }
      return
    }
    // The secret of an item that needs a proof cannot be read.
    let isSame =
      found.attributes.accessControl.flags.isEmpty
      ? try store.has(foreign, as: found) : found.attributes == foreign.attributes
    if !isSame { throw .corrupted(Self.mismatch) }
  }

  /// Returns whether a store has everything that a source has, so that the source can be removed.
  func holds(_ source: ForeignSecrets) throws -> Bool {
    guard source.unreadable.isEmpty, !report.entries.contains(where: \.outcome.isRefusal) else {
      return false
    }
    do {
      for foreign in source.secrets {
        guard let item = try store.item(foreign.identity), try store.has(foreign, as: item) else {
          return false
        }
      }
      if let vault = store as? SecretVault, try !vault.verify().isSound {
        throw SecretStoreError.corrupted("The vault is damaged")
      }
      return true
    } catch let error as SecretStoreError {
      throw MigrationError.store(error)
    }
  }
}

extension SecretStore {
  /// Returns whether an item has a foreign one's attributes and secret, and can be read.
  fileprivate func has(
    _ foreign: ForeignSecret, as item: SecretItem
  ) throws(SecretStoreError) -> Bool {
    guard item.attributes == foreign.attributes, item.attributes.accessControl.flags.isEmpty else {
      return false
    }
    do throws(SecretStoreError) {
      return try secret(of: item.id)?.secret == foreign.secret
    } catch {
      // A secret that can no longer be opened is not equal, and may be replaced.
      guard case .corrupted = error else { throw error }
      return false
    }
  }
}
