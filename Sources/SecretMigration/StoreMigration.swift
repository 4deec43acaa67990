import SecretStorage

/// A migration of secrets to a store.
struct StoreMigration {
  let store: any SecretStore
  let isReplacing: Bool
  let isDryRun: Bool
  var report = ImportReport()
  var identities = Set<ItemIdentity>()

  mutating func migrate(
    _ foreign: ForeignSecret
  ) throws(MigrationError) -> ImportReport.Outcome {
    if !identities.insert(foreign.identity).inserted {
      return .refused("The source has an earlier secret with the same identity.")
    }
    do throws(SecretStoreError) {
      try ItemLimits.check(
        identity: foreign.identity, attributes: foreign.attributes,
        secretCount: foreign.secret.count)
      // Another writer may change the item between the search and the write.
      return try store.retrying { () throws(SecretStoreError) in try write(foreign) }
    } catch {
      switch error {
      case .unsupported, .invalid, .denied, .wrongApplicationPassword:
        return .refused(error.description)
      case .corrupted(Self.mismatch):
        throw .notReadBack(position: foreign.position)
      default:
        throw .store(error)
      }
    }
  }

  private static let mismatch = "The value that was read back differs from the one that was written"

  private func write(
    _ foreign: ForeignSecret
  ) throws(SecretStoreError) -> ImportReport.Outcome {
    let existing = try store.item(foreign.identity)
    if let existing {
      if try store.contains(foreign, as: existing) { return .identical }
      if !isReplacing { return .conflict }
    }
    if isDryRun {
      // The error that a vault without a passphrase would throw.
      if foreign.attributes.accessControl.accessibility == .whenPasscodeSetThisDeviceOnly,
        let vault = store as? SecretVault, try !vault.findsPassphrase()
      {
        throw .unsupported("accessibility whenPasscodeSetThisDeviceOnly without a passphrase")
      }
    } else if let existing {
      let updated = try store.update(
        existing.id, expecting: existing.revision, attributes: foreign.attributes,
        secret: foreign.secret)
      try readBack(updated, foreign)
    } else {
      let added = try store.add(
        foreign.secret, identity: foreign.identity, attributes: foreign.attributes)
      try readBack(added, foreign)
    }
    return existing == nil ? .added : .conflict
  }

  private func readBack(_ item: SecretItem, _ foreign: ForeignSecret) throws(SecretStoreError) {
    guard let found = try store.item(foreign.identity) else { throw .corrupted(Self.mismatch) }
    // Another writer may have changed the item.
    guard found.id == item.id, found.revision == item.revision else { return }
    // Without authentication, only the attributes can be compared.
    let isSame =
      found.attributes.accessControl.flags.isEmpty
      ? try store.contains(foreign, as: found) : found.attributes == foreign.attributes
    if !isSame { throw .corrupted(Self.mismatch) }
  }

  func storeContainsAll(of source: ForeignSecrets) throws -> Bool {
    guard source.unreadable.isEmpty, !report.entries.contains(where: \.outcome.isRefusal) else {
      return false
    }
    do {
      for foreign in source.secrets {
        guard let item = try store.item(foreign.identity), try store.contains(foreign, as: item)
        else { return false }
      }
      if let vault = store as? SecretVault {
        if try !vault.verify().isSound {
          throw SecretStoreError.corrupted("The vault is damaged")
        }
        // An earlier migration may have been killed before it flushed what it wrote.
        try vault.synchronize()
      }
      return true
    } catch let error as SecretStoreError {
      throw MigrationError.store(error)
    }
  }
}

extension SecretStore {
  fileprivate func contains(
    _ foreign: ForeignSecret, as item: SecretItem
  ) throws(SecretStoreError) -> Bool {
    guard item.attributes == foreign.attributes, item.attributes.accessControl.flags.isEmpty else {
      return false
    }
    do throws(SecretStoreError) {
      return try secret(of: item.id)?.secret == foreign.secret
    } catch {
      // A damaged secret is not equal, and may be replaced.
      guard case .corrupted = error else { throw error }
      return false
    }
  }
}
