import FoundationEssentials
import SecretStorage

// Reading and removing items, for the adapters and their migration.
extension SecretStore {
  /// Returns the bytes of an item and the revision that was read; nil if the item no longer exists.
  func bytes(
    of item: SecretItem, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> (bytes: Data, revision: UInt64)? {
    guard let reading = try secret(of: item.id, authorizedBy: authorization) else { return nil }
    // The bytes are copied inside the closure.
    return (unsafe reading.secret.withUnsafeBytes { unsafe Data($0) }, reading.itemRevision)
  }

  /// Removes the items that match a query, even if other writers change them meanwhile.
  func removeItems(matching query: ItemQuery) throws(SecretStoreError) {
    try retrying { () throws(SecretStoreError) in
      for item in try items(matching: query) {
        try remove(item.id, expecting: item.revision)
      }
    }
  }
}
