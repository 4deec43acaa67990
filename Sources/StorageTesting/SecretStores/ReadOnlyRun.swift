import FoundationEssentials
import SecretStorage

/// A run of one conformance check on a store that can only be read.
struct ReadOnlyRun: CheckRun {
  typealias Items = ReadOnlyStoreConformance.Items

  let store: any SecretStore
  /// The supplied items.
  let items: Items
  let identities: [ItemIdentity]
  let timeout: Duration
  let findings: Findings
  let makeStore: @Sendable (Items) throws -> any SecretStore
  /// Replaces the items.
  let supply: @Sendable (Items) throws -> Void

  func run(_ check: ReadOnlyStoreConformance.Check) async throws {
    switch check {
    case .emptyStoreHasNoItems, .suppliedItemsAreFound: try expectContent(items, of: store)
    case .textsAreRead: try textsAreRead()
    case .missingSecretIsNil: try missingSecretIsNil()
    case .resultsAreOldestFirst: try resultsAreOldestFirst()
    case .guaranteesAreTrue: try guaranteesAreTrue()
    case .writesAreRejected: try writesAreRejected()
    case .readsKeepStoreRevision: try await readsKeepStoreRevision()
    case .readingReturnsRevisions: try await readingReturnsRevisions()
    case .changesAreSeen: try changesAreSeen()
    case .observersAreNotified: try await observersAreNotified()
    case .releasedObserversAreNotNotified: try await releasedObserversAreNotNotified()
    }
  }

  /// Expects each kind of query to find the items that match, with their texts.
  private func expectContent(_ items: Items, of store: any SecretStore) throws {
    let patterns =
      identities + [.generic(), .internet()]
      + identities.map { .generic(service: $0.service) }
      + identities.map { .internet(server: $0.server) }
    let queries = [.all] + patterns.flatMap { [ItemQuery.matching($0), .exactly($0)] }
    for query in queries {
      let expected = Set(items.keys.filter(query.includes))
      let found = try store.items(matching: query)
      expect(
        found.count == expected.count && Set(found.map(\.identity)) == expected,
        "items(matching:)", "the \(expected.count) supplied items that match, and no others")
      for item in found {
        expect(
          try store.secret(of: item.id)?.secret == items[item.identity].map { Secret($0.utf8) },
          "secret(of:)", "the supplied text")
      }
      expect(Set(found.map(\.id)).count == found.count, "items(matching:)", "different identifiers")
    }
  }

  private func textsAreRead() throws {
    let texts = [
      "", "8443", " spaces ", "a=b", "two\nlines", "é👩‍👩‍👧‍👦", "\"quoted\"", "$HOME `id` %s\\n",
      String(repeating: "x", count: 100_000),
    ]
    for text in texts {
      let items = [identities[0]: text, identities[1]: text + "."]
      try expectContent(items, of: makeStore(items))
    }
  }

  private func missingSecretIsNil() throws {
    let missing = SecretItem.ID(uuid: UUID())
    expect(try store.secret(of: missing) == nil, "secret(of:)", "nil for a missing item")
  }

  private func resultsAreOldestFirst() throws {
    let found = try store.items(matching: .all)
    expect(
      found.sorted(by: SecretItem.isOlder) == found, "items(matching:)",
      "the order of the creation dates")
    expect(
      try store.items(matching: .all).map(\.id) == found.map(\.id), "items(matching:)",
      "the same order and identifiers in another search")
  }

  private func guaranteesAreTrue() throws {
    let before = store.guarantees
    expect(before.contains(.readOnly), "guarantees", "the guarantee readOnly")
    _ = try store.items(matching: .all)
    expect(store.guarantees == before, "guarantees", "the same guarantees after a search")
  }

  private func writesAreRejected() throws {
    let found = try store.items(matching: .all)
    guard let item = found.first else {
      return expect(false, "items(matching:)", "the supplied items")
    }
    let other = ItemIdentity.generic(service: "new", account: "new")
    let secret = Secret("new".utf8)
    try expectReadOnly("add") { () throws(SecretStoreError) in
      _ = try store.add(secret, identity: other, attributes: ItemAttributes())
    }
    try expectReadOnly("update of the secret") { () throws(SecretStoreError) in
      _ = try store.update(item.id, expecting: item.revision, attributes: nil, secret: secret)
    }
    try expectReadOnly("update of attributes") { () throws(SecretStoreError) in
      let attributes = ItemAttributes(label: "new")
      _ = try store.update(item.id, expecting: item.revision, attributes: attributes, secret: nil)
    }
    try expectReadOnly("remove") { () throws(SecretStoreError) in
      try store.remove(item.id, expecting: item.revision)
    }
    do throws(SecretStoreError) {
      try store.remove(SecretItem.ID(uuid: UUID()), expecting: 1)
    } catch {
      expect(false, "remove of a missing item", "a success, but got the error “\(error)”")
    }
  }

  private func expectReadOnly(
    _ operation: String, _ write: () throws(SecretStoreError) -> Void
  ) throws {
    do throws(SecretStoreError) {
      try write()
      expect(false, operation, "the error readOnly, but the operation succeeded")
    } catch {
      if case .readOnly = error {
      } else {
        expect(false, operation, "the error readOnly, but got “\(error)”")
      }
    }
    try expectContent(items, of: store)
  }

  /// Repeats reads until the revisions before and after them are equal; records a violation if
  /// they never are.
  ///
  /// A store may be unable to tell for a moment whether a change has just been made.
  private func settled<Result>(_ body: () throws -> Result) async throws -> (Result, StoreRevision)?
  {
    var waited = Duration.zero
    while true {
      let before = try store.revision()
      let result = try body()
      if try store.revision() == before { return (result, before) }
      if waited >= timeout { break }
      try await Task.sleep(for: .milliseconds(10))
      waited += .milliseconds(10)
    }
    expect(false, "revision()", "the same revision after reads")
    return nil
  }

  private func readsKeepStoreRevision() async throws {
    _ = try await settled {
      for item in try store.items(matching: .all) { _ = try store.secret(of: item.id) }
    }
  }

  private func readingReturnsRevisions() async throws {
    let result = try await settled {
      try store.items(matching: .all).map { ($0, try store.secret(of: $0.id)) }
    }
    guard let (readings, revision) = result else { return }
    for (item, reading) in readings {
      expect(reading?.itemRevision == item.revision, "secret(of:)", "the item's revision")
      expect(reading?.storeRevision == revision, "secret(of:)", "the store's revision")
    }
  }

  /// The items after each kind of change, with the name of the change.
  private var changes: [(name: String, items: Items)] {
    let (first, second, third) = (identities[0], identities[1], identities[2])
    return [
      ("a removed item", [first: "1", second: "2"]), ("a changed item", [first: "2", second: "2"]),
      ("an added item", [first: "2", second: "2", third: "3"]),
      ("a longer text", [first: "longer", second: "2", third: "3"]),
    ]
  }

  private func changesAreSeen() throws {
    var revisions: Set = [try store.revision()]
    let removed = try store.items(matching: .exactly(identities[2])).first
    for (name, items) in changes {
      let before = try store.items(matching: .exactly(identities[0])).first
      try supply(items)
      expect(
        revisions.insert(try store.revision()).inserted, "revision() after \(name)",
        "a revision that was never used")
      try expectContent(items, of: store)
      let after = try store.items(matching: .exactly(identities[0])).first
      expect(before?.id == after?.id, "items(matching:) after \(name)", "the same identifier")
      if name.hasSuffix("text") {
        expect(
          before?.revision != after?.revision, "items(matching:) after \(name)",
          "another revision of the item")
      }
      if items[identities[2]] == nil, let removed {
        expect(try store.secret(of: removed.id) == nil, "secret(of:) after \(name)", "nil")
      }
    }
  }

  private func observersAreNotified() async throws {
    let first = CountingObserver(store.observeChanges)
    let second = CountingObserver(store.observeChanges)
    for (name, items) in changes {
      try supply(items)
      try await expectNotification(of: first, "observeChanges, \(name)")
    }
    try await expectNotification(of: second, "observeChanges, the same changes, second observer")
  }

  private func releasedObserversAreNotNotified() async throws {
    let observer = CountingObserver(store.observeChanges)
    try supply(changes[0].items)
    try await expectNotification(of: observer, "observeChanges")
    observer.stop()
    let remaining = CountingObserver(store.observeChanges)
    // A handler that was running when the observation ended may still have been counted.
    let count = observer.count
    try supply(changes[1].items)
    try await expectNotification(of: remaining, "observeChanges, another change")
    expect(observer.count == count, "observeChanges", "no call after the observation was released")
  }
}
