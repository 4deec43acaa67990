import FoundationEssentials
import SecretStorage

extension SecretStore {
  /// The one item of an identity.
  func item(_ identity: ItemIdentity) throws(SecretStoreError) -> SecretItem? {
    try items(matching: .exactly(identity)).first
  }

  /// The bytes of an item; nil when somebody removed it.
  func bytes(
    of item: SecretItem, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> (bytes: Data, revision: UInt64)? {
    guard let reading = try secret(of: item.id, authorizedBy: authorization) else { return nil }
    // The bytes are copied inside the closure.
    return (unsafe reading.secret.withUnsafeBytes { unsafe Data($0) }, reading.itemRevision)
  }

  /// Adds an item, or gives the one that there is other bytes and another access control.
  func put(
    _ bytes: Data, as identity: ItemIdentity, _ accessControl: AccessControl
  ) throws(SecretStoreError) {
    let secret = Secret(bytes)
    try retrying { () throws(SecretStoreError) in
      guard let item = try item(identity) else {
        _ = try add(
          secret, identity: identity, attributes: ItemAttributes(accessControl: accessControl))
        return
      }
      var attributes = item.attributes
      attributes.accessControl = accessControl
      _ = try update(
        item.id, expecting: item.revision, attributes: attributes, secret: secret)
    }
  }

  /// Removes the items that a query means, if there are any.
  func removeItems(matching query: ItemQuery) throws(SecretStoreError) {
    try retrying { () throws(SecretStoreError) in
      for item in try items(matching: query) {
        try remove(item.id, expecting: item.revision)
      }
    }
  }

  /// Does something again if others changed an item between its search and a write.
  func retrying<Result>(
    _ body: () throws(SecretStoreError) -> Result
  ) throws(SecretStoreError) -> Result {
    // Each lost race is another's success, so that many in a row mean a store that does not work.
    for _ in 1..<100 {
      do throws(SecretStoreError) {
        return try body()
      } catch {
        if error != .conflict && error != .duplicate { throw error }
      }
    }
    return try body()
  }
}
