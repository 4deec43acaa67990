import Dispatch
import SecretStorage
import StorageInternals

extension PasswordItem {
  /// Reads the item; where that needs a proof, a person is asked for it while the thread waits.
  ///
  /// - Throws: As `load(authorizedBy:)` does.
  func loadAskingAndWaiting() throws(SecretStoreError) -> Value? {
    do throws(SecretStoreError) {
      return try load()
    } catch {
      guard case .denied = error else { throw error }
      // In a task, the thread is one of the few that the authenticator needs itself: if all of them
      // waited for it, it would never answer.
      if unsafe withUnsafeCurrentTask(body: { unsafe $0 != nil }) { throw error }
      return try wait(for: AuthenticationContext(reason: "Read a password"))
    }
  }

  private func wait(for context: AuthenticationContext) throws(SecretStoreError) -> Value? {
    let outcome = Lock(Result<Value?, SecretStoreError>.failure(.cancelled))
    let isDone = DispatchSemaphore(value: 0)
    Task {
      let result: Result<Value?, SecretStoreError>
      do throws(SecretStoreError) {
        result = .success(try await load(authorizedBy: context))
      } catch {
        result = .failure(error)
      }
      outcome.withLock { $0 = result }
      isDone.signal()
    }
    isDone.wait()
    return try outcome.withLock { $0 }.get()
  }
}
