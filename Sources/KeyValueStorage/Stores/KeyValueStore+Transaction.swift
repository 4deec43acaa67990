import StorageInternals

extension KeyValueStore {
  /// Changes several keys or none, and lets nobody come between.
  ///
  /// ```swift
  /// try store.transaction {
  ///   account.balance -= 10
  ///   account.lastPayment = .now
  /// }
  /// ```
  ///
  /// Inside of the closure, on its thread, properties of this store have their newest values in the
  /// file, and what is set there is seen by this thread alone until the closure ends. Then all of
  /// it is written at once, durably, whatever the ``WritePolicy`` is. Other processes and threads
  /// that write to the store wait meanwhile, so a counter that is changed in transactions counts
  /// exactly.
  ///
  /// A transaction in a transaction is a part of it; if it throws and the outer one goes on, the
  /// inner one's changes alone are dropped. It must not begin inside a change in place of a
  /// property of the store; that is misuse, and stops the process.
  ///
  /// - Parameter body: What to do. It is called again when another program, or with some backends
  ///   another process, changed the store meanwhile without the lock. It must not wait for another
  ///   thread that writes to the store.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws, or a ``KeyValueStoreError``; nothing is changed then.
  public func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    if let outer = state.withLock({ $0.transaction.ofThisThread }) {
      do {
        return try body()
      } catch {
        state.withLock { $0.setTransaction(outer) }
        throw error
      }
    }
    refuseInsideChange()
    // Otherwise another thread's first get would wait for the end of this.
    loadIfNeeded()
    return try writing.take {
      var result: Swift.Result<Result, any Error>?
      try write(within: lockTimeout) { draft in
        let open = OpenTransaction(draft: draft)
        state.withLock { $0.setTransaction(open) }
        let outcome = Swift.Result(catching: body)
        let finished = state.withLock { state in
          defer { state.setTransaction(nil) }
          return state.transaction?.draft
        }
        result = outcome
        // In a child that was forked inside of the closure there is none, and nothing is written.
        guard let finished else { return true }
        draft = finished
        if case .failure = outcome { return false }
        return true
      }
      return try result!.get()
    }
  }
}
