import SecretStorage

// The checks of identities and queries.
extension ConformanceRun {
  /// An identity with every part of an internet password.
  static let fullIdentity = ItemIdentity.internet(
    server: "server", account: "account", securityDomain: "domain", protocol: .ssh,
    authenticationType: .htmlForm, port: 8080, path: "/a/b/c")

  /// Returns the full identity with one part changed.
  private static func fullIdentity(
    server: String = "server", account: String = "account", securityDomain: String = "domain",
    protocol: InternetProtocol = .ssh, authenticationType: InternetAuthenticationType = .htmlForm,
    port: UInt16 = 8080, path: String = "/a/b/c"
  ) -> ItemIdentity {
    .internet(
      server: server, account: account, securityDomain: securityDomain, protocol: `protocol`,
      authenticationType: authenticationType, port: port, path: path)
  }

  func emptyStoreHasNoItems() throws {
    for query: ItemQuery in [.all, .matching(.generic()), .exactly(Self.fullIdentity)] {
      try expectItems([], matching: query, "no items in a new store")
    }
  }

  func missingSecretIsNil() throws {
    let item = try add(.generic(service: "service"))
    try remove(item)
    try expectSecret(nil, of: item, "secret(of:)", "nil for an item that does not exist")
  }

  func addedItemIsFound() throws {
    let attributes = ItemAttributes(label: "label", comment: "comment")
    let item = try add(Self.fullIdentity, "a secret", attributes: attributes)
    expect(item.identity == Self.fullIdentity, "add", "an item with the given identity")
    expect(item.attributes == attributes, "add", "an item with the given attributes")
    for query: ItemQuery in [.all, .matching(Self.fullIdentity), .exactly(Self.fullIdentity)] {
      try expectItems([item], matching: query, "the item that add returned")
    }
    try expectSecret("a secret", of: item, "secret(of:)", "the added secret")
  }

  func identitiesAreUnique() throws {
    for identity in [Self.fullIdentity, .generic(service: "service"), .generic()] {
      try add(identity, "first")
      let before = try content()
      expect(.duplicate, "add of an existing identity", try add(identity, "second"))
      expect(try content() == before, "add of an existing identity", "no change")
    }
  }

  func classesAreSeparate() throws {
    let generic = try add(.generic(account: "account"), "generic")
    let internet = try add(.internet(account: "account"), "internet")
    try expectItems(
      [generic], matching: .matching(.generic(account: "account")),
      "only generic items for a generic pattern")
    try expectItems(
      [internet], matching: .exactly(.internet(account: "account")),
      "only the internet item for an internet identity")
  }

  func everyIdentityPartDistinguishes() throws {
    let identities: [ItemIdentity] = [
      Self.fullIdentity, .generic(service: "a", account: "a"), .generic(service: "b", account: "a"),
      .generic(service: "a", account: "b"), Self.fullIdentity(server: "other"),
      Self.fullIdentity(account: "other"),
      Self.fullIdentity(securityDomain: "other"), Self.fullIdentity(protocol: .ftp),
      Self.fullIdentity(authenticationType: .httpBasic), Self.fullIdentity(port: 8081),
      Self.fullIdentity(path: "/other"),
    ]
    let items = try identities.map { try add($0) }
    for item in items {
      for query: ItemQuery in [.exactly(item.identity), .matching(item.identity)] {
        try expectItems([item], matching: query, "the one item whose parts are all equal")
      }
    }
  }

  func omittedPartMatchesAnyValue() throws {
    let full = try add(Self.fullIdentity)
    let part = try add(.internet(server: "server", account: "account"))
    try add(.internet(server: "other", account: "account"))
    let patterns: [ItemIdentity] = [
      .internet(server: "server"), .internet(server: "server", account: "account"),
    ]
    for pattern in patterns {
      try expectItems([full, part], matching: .matching(pattern), "all items with these parts")
    }
    try expectItems(
      [full], matching: .matching(.internet(server: "server", port: 8080)),
      "no item that lacks a part of the pattern")
    expect(try items(matching: .all).count == 3, "items(matching: .all)", "every item")
  }

  func exactQueryRequiresAbsentParts() throws {
    try add(.generic(service: "service", account: "account"))
    let query = ItemQuery.exactly(.generic(service: "service"))
    try expectItems([], matching: query, "no item with a part that the identity lacks")
    let item = try add(.generic(service: "service"))
    try expectItems([item], matching: query, "the item that also lacks the part")
  }

  func resultsAreOldestFirst() throws {
    // The order is neither alphabetical nor its reverse.
    let accounts = ["d", "a", "e", "b", "c"]
    let items = try accounts.map { try add(.generic(service: "service", account: $0)) }
    try update(items[0], secret: Secret("new".utf8))
    for query: ItemQuery in [.all, .matching(.generic(service: "service"))] {
      let found = try self.items(matching: query)
      expect(
        found.map(\.identity.account) == accounts, "items(matching:)",
        "the order of addition, regardless of later updates")
      expect(
        found.sorted(by: SecretItem.isOlder) == found, "items(matching:)",
        "the order of the creation dates")
    }
  }
}
