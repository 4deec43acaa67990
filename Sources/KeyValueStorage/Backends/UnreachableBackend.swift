/// A placeholder for a backend that cannot be created, so that creating a store never fails.
struct UnreachableBackend: KeyValueBackend {
  let format: KeyValueFormat
  let name = "a store without a location"
  let error: KeyValueStoreError

  func load() throws(KeyValueStoreError) -> KeyValueContents { throw error }

  func hasChanged(since revision: Int64) throws(KeyValueStoreError) -> Bool { throw error }

  func update(
    _ changes: (KeyValueContents) -> KeyValueChanges
  ) throws(KeyValueStoreError) -> KeyValueContents { throw error }

  func observe(
    _ handler: @escaping @Sendable () -> Void
  ) throws(KeyValueStoreError) -> KeyValueObservation { throw error }

  func moveAside() throws(KeyValueStoreError) -> String? { throw error }
}
