import Concurrency
import FoundationEssentials
import SecretStorage
import StorageTesting

/// A violation of the contract by a store that can only be read, and the check that must detect it.
enum ReadOnlyViolation: String, CaseIterable, Sendable {
  case startsWithAnItem, losesAnItem, treatsAbsentPartAsWildcard, trimsTexts, limitsTexts
  case returnsEmptySecretForMissingItem, returnsNewestFirst, changesIdentifiers
  case claimsToBeWritable, changesGuarantees
  case acceptsAdditions, ignoresUpdates, saysUnsupported, removesItems, removalOfMissingItemFails
  case changesRevisionOnRead, returnsOldStoreRevision
  case readsOnce, keepsItemRevision, keepsStoreRevision
  case neverNotifies, notifiesAfterRelease

  var check: ReadOnlyStoreConformance.Check {
    switch self {
    case .startsWithAnItem: .emptyStoreHasNoItems
    case .losesAnItem, .treatsAbsentPartAsWildcard: .suppliedItemsAreFound
    case .trimsTexts, .limitsTexts: .textsAreRead
    case .returnsEmptySecretForMissingItem: .missingSecretIsNil
    case .returnsNewestFirst, .changesIdentifiers: .resultsAreOldestFirst
    case .claimsToBeWritable, .changesGuarantees: .guaranteesAreTrue
    case .acceptsAdditions, .ignoresUpdates, .saysUnsupported, .removesItems,
      .removalOfMissingItemFails:
      .writesAreRejected
    case .changesRevisionOnRead: .readsKeepStoreRevision
    case .returnsOldStoreRevision: .readingReturnsRevisions
    case .readsOnce, .keepsItemRevision, .keepsStoreRevision: .changesAreSeen
    case .neverNotifies: .observersAreNotified
    case .notifiesAfterRelease: .releasedObserversAreNotNotified
    }
  }
}

/// A store that can only be read, and that commits one violation of the contract, or none.
final class LyingReadOnlyStore: SecretStore {
  typealias Items = ReadOnlyStoreConformance.Items

  let violation: ReadOnlyViolation?
  private let content = InMemorySecretStore()
  private let calls = Lock(UInt64(0))

  init(_ violation: ReadOnlyViolation?, _ items: Items) throws {
    self.violation = violation
    try replace(items)
    if violation == .startsWithAnItem {
      _ = try content.add(
        Secret([]), identity: .generic(service: "old"), attributes: ItemAttributes())
    }
  }

  private func replace(_ items: Items) throws {
    for item in content.items(matching: .all) where items[item.identity] == nil {
      try content.remove(item.id, expecting: item.revision)
    }
    for (identity, text) in items {
      let text = altered(text)
      if let item = content.items(matching: .exactly(identity)).first {
        if content.secret(of: item.id, authorizedBy: .none)?.secret == Secret(text.utf8) {
          continue
        }
        _ = try content.update(
          item.id, expecting: item.revision, attributes: nil, secret: Secret(text.utf8))
      } else {
        _ = try content.add(
          Secret(text.utf8), identity: identity, attributes: ItemAttributes())
      }
    }
  }

  func supply(_ items: Items) throws {
    if violation != .readsOnce { try replace(items) }
  }

  private func altered(_ text: String) -> String {
    switch violation {
    case .trimsTexts: String(text.drop { $0 == " " })
    case .limitsTexts: String(text.prefix(65_536))
    default: text
    }
  }

  private func nextCall() -> UInt64 {
    calls.withLock { calls in
      calls += 1
      return calls
    }
  }

  var guarantees: StoreGuarantees {
    switch violation {
    case .claimsToBeWritable: []
    case .changesGuarantees: nextCall() > 1 ? [.readOnly, .survivesReboot] : .readOnly
    default: .readOnly
    }
  }

  var authenticator: (any Authenticator)? { nil }

  func revision() -> StoreRevision {
    switch violation {
    case .changesRevisionOnRead: StoreRevision(nextCall())
    case .keepsStoreRevision: StoreRevision(1)
    default: content.revision()
    }
  }

  func items(matching query: ItemQuery) -> [SecretItem] {
    var items = content.items(matching: .all).filter { item in
      guard violation == .treatsAbsentPartAsWildcard, case .exactly(let identity) = query
      else { return query.includes(item.identity) }
      return item.identity.matches(identity)
    }
    switch violation {
    case .losesAnItem: return Array(items.dropLast(items.count > 3 ? 1 : 0))
    case .returnsNewestFirst: return items.reversed()
    case .keepsItemRevision: items = items.map { shown($0, $0.id, revision: 1) }
    case .changesIdentifiers:
      return items.map { shown($0, SecretItem.ID(uuid: UUID()), revision: $0.revision) }
    default: break
    }
    return items
  }

  private func shown(_ item: SecretItem, _ id: SecretItem.ID, revision: UInt64) -> SecretItem {
    SecretItem(
      id: id, identity: item.identity, attributes: item.attributes,
      creationDate: item.creationDate, modificationDate: item.modificationDate,
      revision: revision)
  }

  func secret(of item: SecretItem.ID, authorizedBy authorization: Authorization) -> SecretReading? {
    guard let reading = content.secret(of: item, authorizedBy: authorization) else {
      return violation == .returnsEmptySecretForMissingItem
        ? SecretReading(secret: Secret([]), itemRevision: 0, storeRevision: revision()) : nil
    }
    return SecretReading(
      secret: reading.secret, itemRevision: reading.itemRevision,
      storeRevision: violation == .returnsOldStoreRevision ? StoreRevision(0) : revision())
  }

  func add(
    _ secret: Secret, identity: ItemIdentity, attributes: ItemAttributes,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem {
    switch violation {
    case .acceptsAdditions:
      return try content.add(secret, identity: identity, attributes: attributes)
    case .saysUnsupported: throw .unsupported("writes")
    default: throw .readOnly("No writes.")
    }
  }

  func update(
    _ item: SecretItem.ID, expecting revision: UInt64, attributes: ItemAttributes?, secret: Secret?,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem {
    guard violation == .ignoresUpdates,
      let old = content.items(matching: .all).first(where: { $0.id == item })
    else { throw .readOnly("No writes.") }
    return old
  }

  func remove(_ item: SecretItem.ID, expecting revision: UInt64) throws(SecretStoreError) {
    if violation == .removesItems {
      // The error is right, but the item is gone.
      try content.remove(item, expecting: revision)
    }
    let exists = content.items(matching: .all).contains { $0.id == item }
    if exists || violation == .removesItems || violation == .removalOfMissingItemFails {
      throw .readOnly("No writes.")
    }
  }

  func observeChanges(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation {
    switch violation {
    case .neverNotifies: return ChangeObservation {}
    case .notifiesAfterRelease:
      // A leaked reference: the real token is never released.
      _ = unsafe Unmanaged.passRetained(content.observeChanges(handler))
      return ChangeObservation {}
    default: return content.observeChanges(handler)
    }
  }
}
