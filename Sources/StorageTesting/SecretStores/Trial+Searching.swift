import SecretStorage

extension Trial {
  static let full = ItemIdentity.internet(
    server: "server", account: "account", securityDomain: "domain", protocol: .ssh,
    authenticationType: .htmlForm, port: 8080, path: "/a/b/c")

  func emptyStoreHasNothing() throws {
    expect(try found(.all).isEmpty, "items(matching: .all)", "no item in a fresh store")
    expect(try found(.matching(.generic())).isEmpty, "items(matching:)", "no generic item")
    expect(try found(.exactly(Self.full)).isEmpty, "items(matching: .exactly)", "no item")
  }

  func absentSecretIsNil() throws {
    let item = try add(.generic(service: "service"))
    try store.remove(item.id, expecting: item.revision)
    expect(try secret(of: item) == nil, "secret(of:)", "nil for an item that is not there")
  }

  func addedItemIsFound() throws {
    let attributes = ItemAttributes(label: "label", comment: "comment")
    let item = try add(Self.full, "a secret", attributes: attributes)
    expect(item.identity == Self.full, "add", "an item with the identity given")
    expect(item.attributes == attributes, "add", "an item with the attributes given")
    for query: ItemQuery in [.all, .matching(Self.full), .exactly(Self.full)] {
      expect(try found(query) == [item], "items(matching:)", "the item as add returned it")
    }
    let reading = try store.secret(of: item.id)
    expect(reading?.secret == Secret("a secret".utf8), "secret(of:)", "the secret that was added")
  }

  func identitiesAreUnique() throws {
    for identity in [Self.full, .generic(service: "service"), .generic()] {
      try add(identity, "first")
      let before = try content()
      expect(.duplicate, "add of an identity that exists", try add(identity, "second"))
      expect(try content() == before, "add of an identity that exists", "that nothing changed")
    }
  }

  func classesAreApart() throws {
    let generic = try add(.generic(account: "account"), "generic")
    let internet = try add(.internet(account: "account"), "internet")
    expect(
      try found(.matching(.generic(account: "account"))) == [generic], "items(matching:)",
      "generic items alone for a generic pattern")
    expect(
      try found(.exactly(.internet(account: "account"))) == [internet],
      "items(matching: .exactly)", "the internet item for an internet identity")
  }

  func everyIdentityPartDistinguishes() throws {
    let others: [ItemIdentity] = [
      Self.full, .generic(service: "a", account: "a"), .generic(service: "b", account: "a"),
      .generic(service: "a", account: "b"), Self.full(server: "other"), Self.full(account: "other"),
      Self.full(securityDomain: "other"), Self.full(protocol: .ftp),
      Self.full(authenticationType: .httpBasic), Self.full(port: 8081), Self.full(path: "/other"),
    ]
    for identity in others { try add(identity) }
    for identity in others {
      expect(
        try found(.exactly(identity)).map(\.identity) == [identity], "items(matching: .exactly)",
        "the one item among those that differ in one part")
      expect(
        try found(.matching(identity)).map(\.identity) == [identity], "items(matching:)",
        "the one item among those that differ in one part")
    }
  }

  func leftOutPartMatchesAnything() throws {
    let full = try add(Self.full)
    let part = try add(.internet(server: "server", account: "account"))
    try add(.internet(server: "other", account: "account"))
    let patterns: [ItemIdentity] = [
      .internet(server: "server"), .internet(server: "server", account: "account"),
    ]
    for pattern in patterns {
      expect(
        try found(.matching(pattern)) == [full, part], "items(matching:)",
        "the items that have the pattern's parts, whatever else they have")
    }
    expect(
      try found(.matching(.internet(server: "server", port: 8080))) == [full], "items(matching:)",
      "no item that lacks a part of the pattern")
    expect(try found(.all).count == 3, "items(matching: .all)", "every item")
  }

  func absentPartIsAValue() throws {
    try add(.generic(service: "service", account: "account"))
    expect(
      try found(.exactly(.generic(service: "service"))).isEmpty, "items(matching: .exactly)",
      "no item that has a part which the identity lacks")
    let bare = try add(.generic(service: "service"))
    expect(
      try found(.exactly(.generic(service: "service"))) == [bare], "items(matching: .exactly)",
      "the item that lacks the part as well")
  }

  func searchesAreOldestFirst() throws {
    // The order is neither alphabetical nor its reverse.
    let accounts = ["d", "a", "e", "b", "c"]
    var items: [SecretItem] = []
    for account in accounts {
      items.append(try add(.generic(service: "service", account: account)))
    }
    try update(items[0], secret: Secret("new".utf8))
    for query: ItemQuery in [.all, .matching(.generic(service: "service"))] {
      let found = try found(query)
      expect(
        found.map(\.identity.account) == accounts, "items(matching:)",
        "the order of adding, whatever was updated since")
      expect(
        found.sorted(by: SecretItem.isOlder) == found, "items(matching:)",
        "the order of the creation dates")
    }
  }
}

extension Trial {
  /// Returns the full identity with one part changed.
  private static func full(
    server: String = "server", account: String = "account", securityDomain: String = "domain",
    protocol: InternetProtocol = .ssh, authenticationType: InternetAuthenticationType = .htmlForm,
    port: UInt16 = 8080, path: String = "/a/b/c"
  ) -> ItemIdentity {
    .internet(
      server: server, account: account, securityDomain: securityDomain, protocol: `protocol`,
      authenticationType: authenticationType, port: port, path: path)
  }
}
