extension SecretStore {
  /// Returns the only item of an identity.
  package func item(_ identity: ItemIdentity) throws(SecretStoreError) -> SecretItem? {
    try items(matching: .exactly(identity)).first
  }

  /// Retries an operation if an item changed between its search and a write.
  package func retrying<Result>(
    _ body: () throws(SecretStoreError) -> Result
  ) throws(SecretStoreError) -> Result {
    // Each conflict means progress elsewhere, so many in a row mean a faulty store.
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
