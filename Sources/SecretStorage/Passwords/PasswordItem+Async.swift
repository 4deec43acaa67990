import Concurrency
import Dispatch

// A store waits for its disk. On a thread of Swift's own pool, of which there are few, that would
// hold up other tasks, so these use a thread of Dispatch.
extension PasswordItem {
  /// Reads the item and makes what it holds the value, without blocking the task's thread.
  ///
  /// - Returns: What is stored; the default value is not taken into account.
  /// - Throws: As the synchronous `load()` does. Cancellation does not interrupt it.
  @discardableResult
  public func load() async throws(SecretStoreError) -> Value? {
    let stored = stored
    return try await withoutBlocking { () throws(SecretStoreError) in
      Self.value(of: try stored.load())
    }
  }

  /// Writes the unsaved value and attributes, if there are any, without blocking the task's thread.
  ///
  /// - Throws: As the synchronous `save()` does. Cancellation does not interrupt it.
  public func save() async throws(SecretStoreError) {
    let stored = stored
    try await withoutBlocking { () throws(SecretStoreError) in try stored.save() }
  }

  /// Removes the item, without blocking the task's thread.
  ///
  /// - Throws: As the synchronous `remove()` does. Cancellation does not interrupt it.
  public func remove() async throws(SecretStoreError) {
    let stored = stored
    try await withoutBlocking { () throws(SecretStoreError) in try stored.remove() }
  }
}

func withoutBlocking<Success: Sendable>(
  _ work: @escaping @Sendable () throws(SecretStoreError) -> Success
) async throws(SecretStoreError) -> Success {
  // A forked child has no threads of Dispatch, and so no other tasks.
  if Fork.isChild { return try work() }
  let result: Result<Success, SecretStoreError> = await withCheckedContinuation { continuation in
    DispatchQueue.global().async {
      continuation.resume(returning: Result(catching: work))
    }
  }
  return try result.get()
}
