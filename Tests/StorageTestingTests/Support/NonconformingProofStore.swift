import FoundationEssentials
import SecretStorage
import TestSupport

/// A store with a vault that checks proofs correctly or commits one violation of the contract.
final class NonconformingProofStore: ForwardingStore {
  private let violation: ContractViolation?
  private let directory: TemporaryDirectory
  let store: any SecretStore
  /// Copies of the secrets, readable without proofs.
  private let copies = InMemorySecretStore()

  init(_ violation: ContractViolation?) throws {
    self.violation = violation
    directory = try TemporaryDirectory()
    store = SecretVault(
      fileURL: directory.url.appending(path: "secrets.vault"), stateDirectory: directory.url)
  }

  func secret(
    of id: SecretItem.ID, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretReading? {
    let item = try store.items(matching: .all).first { $0.id == id }
    do throws(SecretStoreError) {
      let reading = try store.secret(of: id, authorizedBy: authorization)
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
      item = try store.add(
        secret, identity: identity, attributes: attributes, authorizedBy: authorization)
    } catch {
      guard case .unsupported = error, violation == .storesUnenforceableFlags else { throw error }
      item = try store.add(secret, identity: identity, attributes: ItemAttributes())
    }
    if violation != nil {
      _ = try copies.add(secret, identity: identity, attributes: ItemAttributes())
    }
    return item
  }
}
