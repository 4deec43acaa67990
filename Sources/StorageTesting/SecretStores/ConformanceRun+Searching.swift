import SecretStorage

extension ConformanceRun {
  /// An identity in which no part is absent.
  static let fullIdentity = identity()

  private static func identity(
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

  func addedItemIsFound() throws {
    let item = try add(Self.fullIdentity, Secret("a secret"), attributes: Self.attributes)
    expect(item.identity == Self.fullIdentity, "add", "an item with the given identity")
    expect(item.attributes == Self.attributes, "add", "an item with the given attributes")
    expect(
      item.modificationDate >= item.creationDate, "add", "no modification before the creation")
    try expectItems([item], matching: .exactly(Self.fullIdentity), "the item that add returned")
    try expectSecret("a secret", of: item, "secret(of:)", "the added secret")
  }

  func identitiesAreUnique() throws {
    let identities: [ItemIdentity] = [
      Self.fullIdentity, .generic(service: "service"), .generic(), .generic(service: "caf\u{e9}"),
    ]
    for identity in identities { try add(identity) }
    let before = try content()
    for identity in identities + [.generic(service: "cafe\u{301}")] {
      expect(.duplicate, "add of an existing identity", try add(identity, Secret("second")))
    }
    expect(try content() == before, "add of an existing identity", "no change")
  }

  func searchesFindMatchingItems() throws {
    // The order is neither alphabetical nor its reverse.
    let identities: [ItemIdentity] = [
      Self.fullIdentity, .generic(service: "b", account: "account"), .generic(service: "a"),
      .generic(account: "account"), .generic(service: "a", account: ""), .generic(),
      .generic(service: "caf\u{e9}"), .internet(server: "server", account: "account"),
      .internet(account: "account"), Self.identity(server: "other"),
      Self.identity(account: "other"), Self.identity(securityDomain: "other"),
      Self.identity(protocol: .ftp), Self.identity(authenticationType: .httpBasic),
      Self.identity(port: 8081), Self.identity(path: "/other"),
    ]
    var items = try identities.map { try add($0) }
    items[0] = try update(items[0], secret: Secret("new"))
    let isSorted = items.sorted(by: SecretItem.isOlder) == items
    expect(isSorted, "add", "creation dates in the order of the additions")
    let queried =
      identities + [.generic(service: "cafe\u{301}"), .internet(server: "server", port: 8080)]
    for query in [ItemQuery.all] + queried.flatMap({ [ItemQuery.exactly($0), .matching($0)] }) {
      try expectItems(
        items.filter { query.includes($0.identity) }, matching: query,
        "the items that \(query) includes, the oldest first")
    }
  }
}
