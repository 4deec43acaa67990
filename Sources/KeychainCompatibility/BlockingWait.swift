import Concurrency
import Dispatch
import SecretStorage
import StorageInternals

/// Waiting for a person, which old names do because they know no other way.
enum BlockingWait {
  /// Whether this thread may wait.
  ///
  /// That of a task is one of the few on which the person would be asked: if all of them waited,
  /// nobody would ever answer. A forked child has no threads for the task at all.
  static var isPossible: Bool {
    unsafe withUnsafeCurrentTask { unsafe $0 == nil } && !Fork.isChild
  }

  /// Does asynchronous work while this thread waits for it.
  static func value<Value: Sendable>(
    of work: @escaping @Sendable () async throws(SecretStoreError) -> Value
  ) throws(SecretStoreError) -> Value {
    let result = Lock(Result<Value, SecretStoreError>.failure(.cancelled))
    let isDone = DispatchSemaphore(value: 0)
    // Not a detached one, which would not know what `withDefaultStore` says.
    Task {
      let outcome: Result<Value, SecretStoreError>
      do throws(SecretStoreError) {
        outcome = .success(try await work())
      } catch {
        outcome = .failure(error)
      }
      result.withLock { $0 = outcome }
      isDone.signal()
    }
    isDone.wait()
    return try result.withLock { $0 }.get()
  }
}
