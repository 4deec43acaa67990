import Concurrency

// Changes of several keys in one transaction.
extension KeyValueStore {
  /// Changes several keys atomically, and returns when the changes are on disk.
  ///
  /// ```swift
  /// try store.transaction {
  ///   account.balance -= 10
  ///   account.lastPayment = .now
  /// }
  /// ```
  ///
  /// Within the closure, properties of this store have the newest values of the file, and only the
  /// closure's thread sees its changes. Meanwhile, other processes and threads that write to the
  /// store wait, so a counter that changes only in transactions is exact.
  ///
  /// A refused change fails the transaction, even if a later one succeeds: an in-place change of a
  /// value that cannot be decoded, and a set of a value that cannot be encoded or that the
  /// property's check refuses. The transaction then throws the reason at its end, and changes
  /// nothing. A method that throws, such as `save`, leaves this to the closure.
  ///
  /// A nested transaction is part of the outer one; if it throws, only its changes are discarded.
  ///
  /// - Parameter body: Makes the changes. It is called again if another program changed the file
  ///   without the lock, or if a custom backend detects a concurrent change. It must not wait for
  ///   another thread that writes to the store.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure, or a ``KeyValueStoreError``.
  public func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    if let substitute { return try substitute.transaction(body) }
    try checkCaller()
    if let outer = state.withLock({ $0.ownTransaction }) {
      do {
        let result = try body()
        // No lock can be acquired in a child.
        try KeyValueStoreError.checkProcess()
        if let refusal = state.withLock({ $0.ownTransaction?.refusal }) { throw refusal }
        return result
      } catch {
        try KeyValueStoreError.checkProcess()
        state.withLock { $0.setTransaction(outer) }
        throw error
      }
    }
    // If nothing were loaded, the first read by another thread would wait for the transaction.
    loadIfNeeded()
    return try writeLock.withLock {
      try write(within: lockTimeout) {
        draft throws(KeyValueStoreError) -> Swift.Result<Result, any Error> in
        let open: StoreState.OpenTransaction = (.current, draft, nil)
        state.withLock { $0.setTransaction(open) }
        var outcome = Swift.Result(catching: body)
        // A child that the closure has forked is not in the transaction.
        try KeyValueStoreError.checkProcess()
        let finished = state.withLock { state in
          defer { state.setTransaction(nil) }
          return state.transaction
        }
        if let finished { draft = finished.draft }
        if let refusal = finished?.refusal, case .success = outcome { outcome = .failure(refusal) }
        if case .failure = outcome { draft.isAbandoned = true }
        return outcome
      }.get()
    }
  }
}
