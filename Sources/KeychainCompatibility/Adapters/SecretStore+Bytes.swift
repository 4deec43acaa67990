import FoundationEssentials
import SecretStorage

extension SecretStore {
  /// Returns the bytes of an item; nil if it was removed.
  func bytes(
    of item: SecretItem, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> (bytes: Data, revision: UInt64)? {
    guard let reading = try secret(of: item.id, authorizedBy: authorization) else { return nil }
    // The bytes are copied inside the closure.
    return (unsafe reading.secret.withUnsafeBytes { unsafe Data($0) }, reading.itemRevision)
  }

  /// Adds an item, or replaces the bytes and the access control of an existing one.
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

  /// Removes the items that match a query, if there are any.
  func removeItems(matching query: ItemQuery) throws(SecretStoreError) {
    try retrying { () throws(SecretStoreError) in
      for item in try items(matching: query) {
        try remove(item.id, expecting: item.revision)
      }
    }
  }
}
