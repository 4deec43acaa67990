import SecretStorage

/// A run of one check on a new store.
struct ConformanceRun: Sendable {
  var store: any SecretStore
  /// Another instance with the same content, or `store` itself.
  let otherInstance: any SecretStore
  /// The size of the largest secret that the store accepts, in bytes.
  let largestSecret: Int
  /// The maximum time to wait for a notification; nil for no limit.
  let timeout: Duration?
  let findings: Findings
  /// The text that names the instance after an operation.
  var instance = ""

  /// The same run, with operations of the other instance.
  var other: ConformanceRun {
    var other = self
    other.store = otherInstance
    other.instance = ", other instance"
    return other
  }

  /// Records a finding unless a condition holds; `expectation` completes "expected".
  func expect(_ holds: Bool, _ operation: String, _ expectation: String) {
    findings.expect(holds, operation + instance, expectation)
  }

  /// Expects an operation to throw an error; that of `denied` may have another reason.
  func expect<Result>(
    _ expected: SecretStoreError, _ operation: String,
    _ body: @autoclosure () throws(SecretStoreError) -> Result
  ) {
    do throws(SecretStoreError) {
      _ = try body()
      expect(false, operation, "the error “\(expected)”, but the operation succeeded")
    } catch {
      if case (.denied, .denied) = (expected, error) { return }
      expect(error == expected, operation, "the error “\(expected)”, but got “\(error)”")
    }
  }

  /// Expects a query to return exactly the given items, in their order.
  func expectItems(
    _ expected: [SecretItem], matching query: ItemQuery, _ expectation: String
  ) throws(SecretStoreError) {
    expect(try store.items(matching: query) == expected, "items(matching:)", expectation)
  }

  /// Expects an item's secret to equal a string; if the string is nil, expects no secret.
  func expectSecret(
    _ expected: String?, of item: SecretItem, _ operation: String, _ expectation: String,
    authorizedBy authorization: Authorization = .none
  ) throws(SecretStoreError) {
    let found = try secret(of: item, authorizedBy: authorization)
    expect(found == expected.map { Secret($0) }, operation, expectation)
  }

  /// Expects the store to reject adding an item with attributes and a secret, and such an update.
  func expectRejection(
    of item: SecretItem, _ attributes: ItemAttributes, _ secret: Secret, _ name: String
  ) throws(SecretStoreError) {
    let added = try acceptedItem(
      "add with \(name)", try add(.generic(service: name), secret, attributes: attributes))
    let updated = try acceptedItem(
      "update with \(name)", try update(item, attributes, secret: secret))
    expect(added == nil && updated == nil, "write with \(name)", "a rejection")
  }

  /// Returns the item that a write stores; returns nil if the store rejects the write, and expects
  /// a permitted error and no change.
  func acceptedItem(
    _ operation: String, _ write: @autoclosure () throws(SecretStoreError) -> SecretItem
  ) throws(SecretStoreError) -> SecretItem? {
    let before = try content()
    do throws(SecretStoreError) {
      return try write()
    } catch {
      switch error {
      case .unsupported, .invalid: break
      default: expect(false, operation, "the error unsupported or invalid, but got “\(error)”")
      }
      expect(try content() == before, operation, "no change after a rejected write")
      return nil
    }
  }

  @discardableResult
  func add(
    _ identity: ItemIdentity, _ secret: Secret = Secret("secret"),
    attributes: ItemAttributes = ItemAttributes(), authorizedBy authorization: Authorization = .none
  ) throws(SecretStoreError) -> SecretItem {
    try store.add(
      secret, identity: identity, attributes: attributes, authorizedBy: authorization)
  }

  @discardableResult
  func update(
    _ item: SecretItem, _ attributes: ItemAttributes? = nil, secret: Secret? = nil,
    authorizedBy authorization: Authorization = .none
  ) throws(SecretStoreError) -> SecretItem {
    try store.update(
      item.id, expecting: item.revision, attributes: attributes, secret: secret,
      authorizedBy: authorization)
  }

  func remove(_ item: SecretItem) throws(SecretStoreError) {
    try store.remove(item.id, expecting: item.revision)
  }

  func secret(
    of item: SecretItem, authorizedBy authorization: Authorization = .none
  ) throws(SecretStoreError) -> Secret? {
    try store.secret(of: item.id, authorizedBy: authorization)?.secret
  }

  /// Makes a write of each kind, and calls a closure with its name after each one.
  func writeInEachWay(
    _ didWrite: (_ operation: String) async throws(SecretStoreError) -> Void
  ) async throws(SecretStoreError) {
    var item = try add(Self.fullIdentity)
    try await didWrite("add")
    item = try update(item, Self.attributes)
    try await didWrite("update of attributes")
    item = try update(item, secret: Secret([1]))
    try await didWrite("update of the secret")
    try remove(item)
    try await didWrite("remove")
  }

  /// Returns all items of the store, with their secrets in the same order.
  func content() throws(SecretStoreError) -> (items: [SecretItem], secrets: [Secret?]) {
    let items = try store.items(matching: .all)
    return (items, try items.map { item throws(SecretStoreError) in try secret(of: item) })
  }

  func run(_ check: SecretStoreConformance.Check) async throws {
    switch check {
    case .emptyStoreHasNoItems: try emptyStoreHasNoItems()
    case .addedItemIsFound: try addedItemIsFound()
    case .identitiesAreUnique: try identitiesAreUnique()
    case .searchesFindMatchingItems: try searchesFindMatchingItems()
    case .secretsRoundTrip: try secretsRoundTrip()
    case .oversizedSecretIsRejected: try oversizedSecretIsRejected()
    case .unusualStringsRoundTrip: try unusualStringsRoundTrip()
    case .longStringsRoundTripOrAreRejected: try longStringsRoundTripOrAreRejected()
    case .accessibilitiesRoundTripOrAreRejected: try accessibilitiesRoundTripOrAreRejected()
    case .guaranteesAreStable: try guaranteesAreStable()
    case .accessFlagsAreEnforcedOrRejected: try accessFlagsAreEnforcedOrRejected()
    case .proofsAreRequired: try await proofsAreRequired()
    case .applicationPasswordIsRequired: try await applicationPasswordIsRequired()
    case .updatesChangeOnlyWhatIsGiven: try updatesChangeOnlyWhatIsGiven()
    case .staleWritesConflict: try staleWritesConflict()
    case .removedItemIsGone: try removedItemIsGone()
    case .storeRevisionChangesWithEachWrite: try await storeRevisionChangesWithEachWrite()
    case .readingReturnsRevisions: try readingReturnsRevisions()
    case .otherInstanceSeesWrites: try otherInstanceSeesWrites()
    case .observersAreNotified: try await observersAreNotified()
    case .releasedObserversAreNotNotified: try await releasedObserversAreNotNotified()
    case .handlersRunOutsideWrites: try handlersRunOutsideWrites()
    case .concurrentAddsSucceedOnce: try await concurrentAddsSucceedOnce()
    case .concurrentUpdatesAreNotLost: try await concurrentUpdatesAreNotLost()
    }
  }
}
