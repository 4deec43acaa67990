extension SecretStore {
  /// Calls a closure, and retries if another writer changed an item between its search and write.
  package func retrying<Result>(
    _ body: () throws(SecretStoreError) -> Result
  ) throws(SecretStoreError) -> Result {
    // With each conflict, another writer succeeded, so many in a row indicate a faulty store.
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
