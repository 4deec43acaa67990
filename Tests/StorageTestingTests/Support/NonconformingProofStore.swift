import FoundationEssentials
import SecretStorage

/// A store with a vault that checks proofs correctly or commits one violation of the contract.
final class NonconformingProofStore: SecretStore {
  private let violation: ContractViolation?
  private let directory: URL
  private let vault: SecretVault
  /// Copies of the secrets, readable without proofs.
  private let copies = InMemorySecretStore()

  init(_ violation: ContractViolation?) {
    self.violation = violation
    directory = FileManager.default.temporaryDirectory.appending(path: "locket-tests-\(UUID())")
    vault = SecretVault(
      fileURL: directory.appending(path: "secrets.vault"), stateDirectory: directory)
  }

  deinit {
    do {
      try FileManager.default.removeItem(at: directory)
    } catch {
      // A vault without a write has no directory.
    }
  }

  var guarantees: StoreGuarantees { vault.guarantees }
  var authenticator: (any Authenticator)? { vault.authenticator }

  func revision() throws(SecretStoreError) -> StoreRevision { try vault.revision() }

  func items(matching query: ItemQuery) throws(SecretStoreError) -> [SecretItem] {
    try vault.items(matching: query)
  }

  func secret(
    of id: SecretItem.ID, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretReading? {
    let item = try vault.items(matching: .all).first { $0.id == id }
    do throws(SecretStoreError) {
      let reading = try vault.secret(of: id, authorizedBy: authorization)
      if violation == .deniesDespiteProof, item?.attributes.accessControl.flags.isEmpty == false {
        throw .denied("it is")
      }
      return reading
    } catch {
      guard let item, try ignores(error, authorization),
        let copy = copies.items(matching: .exactly(item.identity)).first
      else { throw error }
      return try copies.secret(of: copy.id)
    }
  }

  private func ignores(
    _ error: SecretStoreError, _ authorization: Authorization
  ) throws(SecretStoreError) -> Bool {
    switch (violation, error) {
    case (.readsWithoutProof, .denied): true
    case (.acceptsAnyProof, .denied): try authorization.missingProof(for: .userPresence) == nil
    case (.ignoresApplicationPassword, .wrongApplicationPassword): true
    default: false
    }
  }

  func add(
    _ secret: Secret, identity: ItemIdentity, attributes: ItemAttributes,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem {
    let item: SecretItem
    do throws(SecretStoreError) {
      item = try vault.add(
        secret, identity: identity, attributes: attributes, authorizedBy: authorization)
    } catch {
      guard case .unsupported = error, violation == .storesUnenforceableFlags else { throw error }
      item = try vault.add(secret, identity: identity, attributes: ItemAttributes())
    }
    if violation != nil {
      _ = try copies.add(secret, identity: identity, attributes: ItemAttributes())
    }
    return item
  }

  func update(
    _ item: SecretItem.ID, expecting revision: UInt64, attributes: ItemAttributes?, secret: Secret?,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem {
    try vault.update(
      item, expecting: revision, attributes: attributes, secret: secret,
      authorizedBy: authorization)
  }

  func remove(_ item: SecretItem.ID, expecting revision: UInt64) throws(SecretStoreError) {
    try vault.remove(item, expecting: revision)
  }

  func observeChanges(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation {
    vault.observeChanges(handler)
  }
}
