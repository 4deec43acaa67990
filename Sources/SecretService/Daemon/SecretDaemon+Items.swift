import SecretStorage

/// What a daemon tells about an item.
struct ItemRecord {
  let attributes: [String: String]
  /// The label and the times in seconds since 1970; nil if the daemon was not asked for them.
  var details: (label: String, created: UInt64, modified: UInt64)?
}

extension SecretDaemon {
  /// Returns the items that have all given attributes.
  func search(
    _ attributes: [String: String]
  ) throws(BusFailure) -> (unlocked: [BusPath], locked: [BusPath]) {
    let reply = try call(Self.path, "Service", "SearchItems", attributes)
    return (try reply.result(), try reply.result())
  }

  /// What was read of an item since its last change; nil if nothing was.
  func knownRecord(of item: String) -> ItemRecord? { known[item] }

  func forget(_ item: String) { known[item] = nil }

  /// Returns the attributes of an item, and its label and times if they are asked for.
  func record(of item: String, withDetails: Bool) throws(BusFailure) -> ItemRecord {
    if let record = known[item], !withDetails || record.details != nil { return record }
    var record = ItemRecord(attributes: try property(item, "Item", "Attributes"))
    if withDetails {
      record.details = (
        try property(item, "Item", "Label"), try property(item, "Item", "Created"),
        try property(item, "Item", "Modified")
      )
    }
    known[item] = record
    return record
  }

  func secret(of item: String) throws(BusFailure) -> Secret {
    try inSession { session throws(BusFailure) in
      let reply = try call(item, "Item", "GetSecret", BusPath(session.path), isSensitive: true)
      return try TransportedSecret.read(from: reply, in: session)
    }
  }

  /// Creates an item beside any others, and returns its path.
  ///
  /// Replacing is never requested: daemons replace any item that has the attributes and others.
  func create(
    in collection: String, label: String, attributes: [String: String], secret: Secret
  ) throws(BusFailure) -> String {
    let reply = try inSession { session throws(BusFailure) in
      try call(
        collection, "Collection", "CreateItem",
        [
          Self.interfaces + "Item.Label": BusVariant(label),
          Self.interfaces + "Item.Attributes": BusVariant(attributes),
        ], TransportedSecret(secret, in: session), false, isSensitive: true)
    }
    let path = try reply.result(BusPath.self).value
    if let confirmed = try confirm(prompt: reply.result()) { return confirmed }
    return path
  }

  func setSecret(_ secret: Secret, of item: String) throws(BusFailure) {
    _ = try inSession { session throws(BusFailure) in
      try call(
        item, "Item", "SetSecret", TransportedSecret(secret, in: session), isSensitive: true)
    }
  }

  func setAttributes(_ attributes: [String: String], of item: String) throws(BusFailure) {
    try setProperty(ofItem: item, "Attributes", to: attributes)
  }

  func setLabel(_ label: String, of item: String) throws(BusFailure) {
    try setProperty(ofItem: item, "Label", to: label)
  }

  func delete(_ item: String) throws(BusFailure) {
    _ = try confirm(prompt: call(item, "Item", "Delete").result())
  }
}
