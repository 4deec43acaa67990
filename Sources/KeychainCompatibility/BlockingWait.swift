import Concurrency
import Dispatch
import SecretStorage

/// Blocking calls that wait for the user, for deprecated APIs without an asynchronous form.
enum BlockingWait {
  /// Whether this thread may block.
  ///
  /// Prompting the user needs one of the few threads of tasks, so blocking all of them would
  /// deadlock. A forked child has none.
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
      do throws(Failure) {
        let value = try await work()
        result.withLock { $0 = .success(value) }
      } catch {
        result.withLock { $0 = .failure(error) }
      }
      isDone.signal()
    }
    isDone.wait()
    guard let result = result.withLock({ $0 }) else { fatalError("A task left no result.") }
    return try result.get()
  }
}

extension AuthenticationContext {
  /// Prompts for the authentication of an item and blocks; in a task, throws `unavailable`.
  func waitForAuthorization(
    of item: SecretItem, in store: any SecretStore
  ) throws(SecretStoreError) -> Authorization {
    let accessControl = item.attributes.accessControl
    if accessControl.flags.isEmpty { return .none }
    guard BlockingWait.isPossible else {
      throw .unavailable(
        """
        A task or a forked child cannot wait for authentication. Call this on another thread, or \
        use the asynchronous load(authorizedBy:) of GenericPassword
        """)
    }
    return try BlockingWait.value { () async throws(SecretStoreError) in
      try await self.authorization(for: accessControl, with: store.authenticator)
    }
  }
}

extension PasswordItem {
  /// Reads the item; if authentication is needed, prompts the user and blocks the thread.
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
