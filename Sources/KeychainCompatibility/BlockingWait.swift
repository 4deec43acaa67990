import Concurrency
import Dispatch
import SecretStorage

/// A blocking wait for asynchronous work, for deprecated APIs without an asynchronous form.
enum BlockingWait {
  /// Prompting needs a thread of the cooperative pool, so blocking all of them would never end.
  static var isPossible: Bool { unsafe withUnsafeCurrentTask { unsafe $0 == nil } }

  static func value<Value: Sendable, Failure: Error>(
    of work: @escaping @Sendable () async throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let result = Lock<Result<Value, Failure>?>(nil)
    let finished = DispatchSemaphore(value: 0)
    // A detached task would not inherit the store of `withDefaultStore`.
    Task {
      do throws(Failure) {
        let value = try await work()
        result.withLock { $0 = .success(value) }
      } catch {
        result.withLock { $0 = .failure(error) }
      }
      finished.signal()
    }
    finished.wait()
    guard let result = result.withLock({ $0 }) else { fatalError("The task has no result.") }
    return try result.get()
  }
}

extension AuthenticationContext {
  /// Prompts for the authentication that an item requires, and blocks; `unavailable` in a task.
  func waitForAuthorization(
    of item: SecretItem, in store: any SecretStore
  ) throws(SecretStoreError) -> Authorization {
    let accessControl = item.attributes.accessControl
    if accessControl.flags.isEmpty { return .none }
    guard BlockingWait.isPossible else {
      throw .unavailable(
        """
        A task cannot wait for authentication. Call this on another thread, or use the asynchronous \
        load(authorizedBy:) of GenericPassword
        """)
    }
    return try BlockingWait.value { () async throws(SecretStoreError) in
      try await self.authorization(for: accessControl, with: store.authenticator)
    }
  }
}

extension PasswordItem {
  /// Reads the item; prompts the user and blocks the thread if authentication is required.
  func loadBlocking() throws -> Value? {
    do {
      return try load()
    } catch SecretStoreError.denied where BlockingWait.isPossible {
      let context = AuthenticationContext(reason: "Read a password")
      return try BlockingWait.value { () async throws in
        try await self.load(authorizedBy: context)
      }
    }
  }
}
