import Concurrency
import Dispatch
import SecretStorage

/// Blocking calls that wait for the user, for deprecated APIs without an asynchronous form.
enum BlockingWait {
  /// Whether this thread may block.
  ///
  /// Threads of tasks must not: asking the user needs one of these few threads, so blocking all of
  /// them would deadlock. A forked child has no threads for tasks at all.
  static var isPossible: Bool {
    unsafe withUnsafeCurrentTask { unsafe $0 == nil } && !Fork.isChild
  }

  /// Runs asynchronous work and blocks this thread until it is done.
  static func value<Value: Sendable, Failure: Error>(
    of work: @escaping @Sendable () async throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let result = Lock<Result<Value, Failure>?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    // Not a detached task, which would not inherit the store of `withDefaultStore`.
    Task {
      let outcome: Result<Value, Failure>
      do throws(Failure) {
        outcome = .success(try await work())
      } catch {
        outcome = .failure(error)
      }
      result.withLock { $0 = outcome }
      isDone.signal()
    }
    isDone.wait()
    guard let result = result.withLock({ $0 }) else { fatalError("A task left no result.") }
    return try result.get()
  }
}

extension AuthenticationContext {
  /// Asks the user for the authentication of an item, and waits for the answer.
  ///
  /// - Throws: `SecretStoreError.unavailable` in a task, or the errors of `authorize`.
  func waitForAuthorization(
    of item: SecretItem, in store: any SecretStore
  ) throws(SecretStoreError) -> Authorization {
    let accessControl = item.attributes.accessControl
    if accessControl.flags.isEmpty { return .none }
    guard BlockingWait.isPossible else {
      throw .unavailable(
        """
        A task, or a forked child, cannot wait for an authorization. Call it on \
        a thread of your own, or use GenericPassword's load(authorizedBy:), which is asynchronous
        """)
    }
    return try BlockingWait.value { () async throws(SecretStoreError) in
      try await self.authorization(for: accessControl, with: store.authenticator)
    }
  }
}
