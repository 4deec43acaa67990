import FoundationEssentials
import SecretStorage
import Synchronization

/// A store that commits one violation of the contract, or none.
final class NonconformingSecretStore: SecretStore {
  private let violation: ContractViolation?
  private let content: InMemorySecretStore
  /// Receives an item for each write of this instance; its observers miss other writes.
  private let ownWrites = InMemorySecretStore()
  private let calls = Atomic(0)

  init(_ violation: ContractViolation?) throws {
    self.violation = violation
    content = InMemorySecretStore()
    if violation == .startsWithItem {
      _ = try content.add(
        Secret([]), identity: .generic(service: "old"), attributes: ItemAttributes())
    }
  }

  /// Creates another store with the same content, unless the violation is to share none.
  init(reopening store: NonconformingSecretStore) {
    violation = store.violation
    content = violation == .doesNotShareItems ? InMemorySecretStore() : store.content
  }

  var guarantees: StoreGuarantees {
    violation == .changesGuarantees && nextCall() > 0 ? .survivesReboot : []
  }

  var authenticator: (any Authenticator)? { nil }

  func revision() -> StoreRevision {
    switch violation {
    case .neverChangesStoreRevision: StoreRevision(1)
    case .changesRevisionOnRead: StoreRevision(UInt64(nextCall()))
    default: content.revision()
    }
  }

  func items(matching query: ItemQuery) throws(SecretStoreError) -> [SecretItem] {
    let items = content.items(matching: .all).filter { includes($0.identity, in: query) }
    return violation == .returnsNewestFirst ? items.reversed() : items.map(shown)
  }

  func secret(
    of item: SecretItem.ID, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretReading? {
    guard let reading = try content.secret(of: item, authorizedBy: authorization) else {
      return violation == .returnsEmptySecretForMissingItem
        ? SecretReading(secret: Secret([]), itemRevision: 0, storeRevision: revision()) : nil
    }
    if violation == .returnsNoSecrets { return nil }
    return SecretReading(
      secret: reading.secret, itemRevision: reading.itemRevision,
      storeRevision: violation == .returnsOldStoreRevision
        ? StoreRevision(1) : reading.storeRevision)
  }

  func add(
    _ secret: Secret, identity: ItemIdentity, attributes: ItemAttributes,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem {
    try checkFlags(attributes)
    let existing = content.items(matching: .exactly(identity)).first
    if let existing, violation == .overwritesDuplicate {
      return try content.update(
        existing.id, expecting: existing.revision, attributes: attributes, secret: secret)
    }
    if violation == .reservesRemovedIdentity, nextCall() > 1 { throw .duplicate }
    if violation == .rejectsLargeSecrets, secret.count > 1 << 20 {
      throw .invalid("The secret is too large")
    }
    try recordOwnWrite()
    do throws(SecretStoreError) {
      return try content.add(
        altered(secret), identity: altered(identity), attributes: altered(attributes))
    } catch {
      guard error == .duplicate, violation == .acceptsDuplicate,
        let existing = content.items(matching: .exactly(identity)).first
      else { throw error }
      return existing
    }
  }

  func update(
    _ item: SecretItem.ID, expecting revision: UInt64, attributes: ItemAttributes?, secret: Secret?,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem {
    guard let old = content.items(matching: .all).first(where: { $0.id == item }) else {
      if violation != .updateRestoresRemovedItem { throw .conflict }
      return try add(secret ?? Secret([]), identity: .generic(), attributes: ItemAttributes())
    }
    if let attributes { try checkFlags(attributes) }
    let ignoresRevision =
      violation == .ignoresExpectedRevisionOfUpdate || violation == .neverChangesItemRevision
    let revision = ignoresRevision ? old.revision : revision
    var attributes = attributes
    var secret = secret
    switch violation {
    case .retainsClearedLabel:
      if attributes?.label == nil { attributes?.label = old.attributes.label }
    case .attributeUpdateClearsSecret: secret = secret ?? Secret([])
    case .secretUpdateClearsAttributes: attributes = attributes ?? ItemAttributes()
    case .losesEverySecondUpdate, .losesConcurrentUpdates:
      if nextCall().isMultiple(of: 2) == false { return old }
    case .rejectsAfterChange:
      _ = try content.update(item, expecting: revision, attributes: attributes, secret: nil)
      throw .invalid("The update is rejected")
    default: break
    }
    let updated = try content.update(
      item, expecting: revision, attributes: attributes.map(altered), secret: secret.map(altered))
    return shown(updated)
  }

  func remove(_ item: SecretItem.ID, expecting revision: UInt64) throws(SecretStoreError) {
    let old = content.items(matching: .all).first { $0.id == item }
    if old == nil, violation == .removalOfMissingItemFails { throw .conflict }
    if violation == .ignoresRemovals { return }
    try recordOwnWrite()
    let ignoresRevision = violation == .ignoresExpectedRevisionOfRemoval
    try content.remove(item, expecting: ignoresRevision ? old?.revision ?? revision : revision)
  }

  func observeChanges(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation {
    switch violation {
    case .neverNotifies: return ChangeObservation {}
    case .notifiesOwnWritesOnly: return ownWrites.observeChanges(handler)
    case .notifiesAfterRelease:
      // A leaked reference: the real token is never released.
      _ = unsafe Unmanaged.passRetained(content.observeChanges(handler))
      return ChangeObservation {}
    case .notifiesInsideWrites: return content.observeChangesSynchronously(handler)
    default: return content.observeChanges(handler)
    }
  }
}

extension NonconformingSecretStore {
  /// Returns the number of earlier calls that can violate the contract.
  private func nextCall() -> Int { calls.add(1, ordering: .sequentiallyConsistent).oldValue }

  private func checkFlags(_ attributes: ItemAttributes) throws(SecretStoreError) {
    if altered(attributes).accessControl.flags.isEmpty { return }
    throw .unsupported("access flags")
  }

  private func recordOwnWrite() throws(SecretStoreError) {
    _ = try ownWrites.add(
      Secret([]), identity: .generic(account: UUID().uuidString), attributes: ItemAttributes())
  }

  private func includes(_ identity: ItemIdentity, in query: ItemQuery) -> Bool {
    switch (violation, query) {
    case (.treatsAbsentPartAsWildcard, .exactly(let expected)): identity.matches(expected)
    case (.matchesWholeIdentityOnly, .matching(let pattern)): identity == pattern
    case (.ignoresClass, .matching(let pattern)): identity.account == pattern.account
    case (.distinguishesEquivalentStrings, .exactly(let expected)):
      identity == expected && bytes(of: identity.service) == bytes(of: expected.service)
    default: query.includes(identity)
    }
  }

  private func bytes(of string: String?) -> [UInt8]? { string.map { Array($0.utf8) } }

  private func shown(_ item: SecretItem) -> SecretItem {
    SecretItem(
      id: violation == .changesIDOnUpdate ? SecretItem.ID(uuid: UUID()) : item.id,
      identity: item.identity, attributes: item.attributes,
      creationDate: violation == .changesCreationDateOnUpdate
        ? item.modificationDate : item.creationDate,
      modificationDate: item.modificationDate,
      revision: violation == .neverChangesItemRevision ? 1 : item.revision)
  }

  private func altered(_ secret: Secret) -> Secret {
    let bytes = unsafe secret.withUnsafeBytes { unsafe Array($0) }
    switch violation {
    case .truncatesSecretsAtNUL: return Secret(bytes.prefix { $0 != 0 })
    case .truncatesOversizedSecrets: return Secret(bytes.prefix(16 << 20))
    default: return secret
    }
  }

  private func altered(_ attributes: ItemAttributes) -> ItemAttributes {
    var attributes = attributes
    switch violation {
    case .dropsComment: attributes.comment = nil
    case .truncatesLongStrings:
      attributes.comment = attributes.comment.map { String($0.prefix(60_000)) }
    case .dropsAccessibility: attributes.accessControl.accessibility = .whenUnlocked
    case .ignoresAccessFlags: attributes.accessControl.flags = []
    default: break
    }
    return attributes
  }

  private func altered(_ identity: ItemIdentity) -> ItemIdentity {
    switch (violation, identity.itemClass) {
    case (.ignoresProtocol, .internet):
      .internet(
        server: identity.server, account: identity.account,
        securityDomain: identity.securityDomain, protocol: .ssh,
        authenticationType: identity.authenticationType, port: identity.port, path: identity.path)
    case (.treatsEmptyAsAbsent, .generic):
      .generic(service: identity.service, account: identity.account == "" ? nil : identity.account)
    case (.truncatesServiceAtNewline, .generic):
      .generic(
        service: identity.service.map { String($0.prefix { $0 != "\n" }) },
        account: identity.account)
    default: identity
    }
  }
}
