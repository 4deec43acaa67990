import FoundationEssentials
import SecretStorage
import Synchronization

/// A store that violates the contract in one way, or not at all.
final class LyingSecretStore: SecretStore {
  private let lie: Lie?
  private let content: InMemorySecretStore
  /// Gets an item for each write of this instance, so that its observers miss other writes.
  private let ownWrites = InMemorySecretStore()
  private let calls = Atomic(0)

  init(_ lie: Lie?) throws {
    self.lie = lie
    content = InMemorySecretStore()
    if lie == .isBornWithAnItem {
      _ = try content.add(
        Secret([]), identity: .generic(service: "old"), attributes: ItemAttributes())
    }
  }

  /// Makes another store over the same content, except if that is the violation.
  init(reopening store: LyingSecretStore) {
    lie = store.lie
    content =
      lie == .anotherInstanceHasItsOwnItems ? InMemorySecretStore() : store.content
  }

  var guarantees: StoreGuarantees {
    lie == .changesGuarantees && nextCall() > 0 ? .survivesReboot : []
  }

  var authenticator: (any Authenticator)? { nil }

  func revision() -> StoreRevision {
    switch lie {
    case .neverChangesStoreRevision: StoreRevision(1)
    case .countsReadsAsChanges: StoreRevision(UInt64(nextCall()))
    default: content.revision()
    }
  }

  func items(matching query: ItemQuery) throws(SecretStoreError) -> [SecretItem] {
    let items = content.items(matching: .all).filter { includes($0.identity, in: query) }
    return lie == .findsNewestFirst ? items.reversed() : items.map(shown)
  }

  func secret(
    of item: SecretItem.ID, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretReading? {
    guard let reading = content.secret(of: item, authorizedBy: authorization) else {
      return lie == .givesEmptySecretForAbsent
        ? SecretReading(secret: Secret([]), itemRevision: 0, storeRevision: revision()) : nil
    }
    if lie == .hidesSecrets { return nil }
    return SecretReading(
      secret: reading.secret, itemRevision: reading.itemRevision,
      storeRevision: lie == .readsWithOldStoreRevision ? StoreRevision(1) : reading.storeRevision)
  }

  func add(
    _ secret: Secret, identity: ItemIdentity, attributes: ItemAttributes,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem {
    let existing = content.items(matching: .exactly(identity)).first
    if let existing, lie == .overwritesDuplicate {
      return try content.update(
        existing.id, expecting: existing.revision, attributes: attributes, secret: secret)
    }
    if let existing, lie == .answersDuplicateWithSuccess { return existing }
    if lie == .reservesIdentityOfRemoved, nextCall() > 0 { throw .duplicate }
    if lie == .refusesLargeSecrets, secret.count > 1 << 20 { throw .invalid("It is large") }
    try noteOwnWrite()
    return try content.add(
      altered(secret), identity: altered(identity), attributes: altered(attributes))
  }

  func update(
    _ item: SecretItem.ID, expecting revision: UInt64, attributes: ItemAttributes?, secret: Secret?,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem {
    guard let old = content.items(matching: .all).first(where: { $0.id == item }) else {
      if lie != .updateRevivesRemoved { throw .conflict }
      return try add(secret ?? Secret([]), identity: .generic(), attributes: ItemAttributes())
    }
    let ignoresRevision =
      lie == .ignoresExpectedRevisionOfUpdate || lie == .neverChangesItemRevision
    let revision = ignoresRevision ? old.revision : revision
    var attributes = attributes
    var secret = secret
    switch lie {
    case .keepsClearedLabel:
      if attributes?.label == nil { attributes?.label = old.attributes.label }
    case .attributeUpdateClearsSecret: secret = secret ?? Secret([])
    case .secretUpdateClearsAttributes: attributes = attributes ?? ItemAttributes()
    case .losesEverySecondUpdate, .concurrentUpdatesGetLost:
      if nextCall().isMultiple(of: 2) == false { return old }
    case .refusesAfterChanging:
      _ = try content.update(item, expecting: revision, attributes: attributes, secret: nil)
      throw .invalid("It is refused")
    default: break
    }
    let updated = try content.update(
      item, expecting: revision, attributes: attributes.map(altered), secret: secret.map(altered))
    return shown(updated)
  }

  func remove(_ item: SecretItem.ID, expecting revision: UInt64) throws(SecretStoreError) {
    let old = content.items(matching: .all).first { $0.id == item }
    if old == nil, lie == .removalOfAbsentFails { throw .conflict }
    if lie == .ignoresRemovals { return }
    try noteOwnWrite()
    let ignoresRevision = lie == .ignoresExpectedRevisionOfRemoval
    try content.remove(item, expecting: ignoresRevision ? old?.revision ?? revision : revision)
  }

  func observeChanges(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation {
    switch lie {
    case .neverNotifies: return ChangeObservation {}
    case .notifiesOwnWritesOnly: return ownWrites.observeChanges(handler)
    case .notifiesAfterRelease:
      // A leaked reference: the real token is never released.
      _ = unsafe Unmanaged.passRetained(content.observeChanges(handler))
      return ChangeObservation {}
    case .notifiesInsideOfWrites: return content.observeChangesSynchronously(handler)
    default: return content.observeChanges(handler)
    }
  }
}

extension LyingSecretStore {
  /// Returns the number of earlier calls that can violate the contract.
  private func nextCall() -> Int {
    calls.add(1, ordering: .sequentiallyConsistent).oldValue
  }

  private func noteOwnWrite() throws(SecretStoreError) {
    _ = try ownWrites.add(
      Secret([]), identity: .generic(account: UUID().uuidString), attributes: ItemAttributes())
  }

  private func includes(_ identity: ItemIdentity, in query: ItemQuery) -> Bool {
    switch (lie, query) {
    case (.takesAbsentPartForAnything, .exactly(let wanted)): identity.matches(wanted)
    case (.matchesOnlyCompletely, .matching(let pattern)): identity == pattern
    case (.mixesClasses, .matching(let pattern)): identity.account == pattern.account
    case (.tellsSpellingsApart, .exactly(let wanted)):
      identity == wanted && spelling(identity.service) == spelling(wanted.service)
    default: query.includes(identity)
    }
  }

  private func spelling(_ name: String?) -> [UInt8]? {
    name.map { Array($0.utf8) }
  }

  private func shown(_ item: SecretItem) -> SecretItem {
    SecretItem(
      id: lie == .renamesOnUpdate ? SecretItem.ID(uuid: UUID()) : item.id,
      identity: item.identity, attributes: item.attributes,
      creationDate: lie == .rejuvenatesOnUpdate ? item.modificationDate : item.creationDate,
      modificationDate: item.modificationDate,
      revision: lie == .neverChangesItemRevision ? 1 : item.revision)
  }

  private func altered(_ secret: Secret) -> Secret {
    let bytes = unsafe secret.withUnsafeBytes { unsafe Array($0) }
    switch lie {
    case .cutsSecretsAtNUL: return Secret(bytes.prefix { $0 != 0 })
    case .cutsLargerSecrets: return Secret(bytes.prefix(16 << 20))
    default: return secret
    }
  }

  private func altered(_ attributes: ItemAttributes) -> ItemAttributes {
    var attributes = attributes
    switch lie {
    case .dropsComment: attributes.comment = nil
    case .cutsLongTexts: attributes.comment = attributes.comment.map { String($0.prefix(60_000)) }
    case .forgetsAccessibility: attributes.accessControl.accessibility = .whenUnlocked
    case .ignoresAccessFlags: attributes.accessControl.flags = []
    default: break
    }
    return attributes
  }

  private func altered(_ identity: ItemIdentity) -> ItemIdentity {
    switch (lie, identity.itemClass) {
    case (.ignoresProtocol, .internet):
      .internet(
        server: identity.server, account: identity.account,
        securityDomain: identity.securityDomain, protocol: .ssh,
        authenticationType: identity.authenticationType, port: identity.port, path: identity.path)
    case (.takesEmptyForAbsent, .generic):
      .generic(
        service: identity.service, account: identity.account == "" ? nil : identity.account)
    case (.cutsNamesAtNewline, .generic):
      .generic(
        service: identity.service.map { String($0.prefix { $0 != "\n" }) },
        account: identity.account)
    default: identity
    }
  }
}
