import Dispatch
import SecretStorage
import StorageInternals

extension PasswordItem {
  /// Reads the item, asking a person for what it needs, while the thread waits.
  ///
  /// - Throws: As `load(authorizedBy:)` does.
  func loadAskingAndWaiting() throws(SecretStoreError) -> Value? {
    let outcome = Lock(Result<Value?, SecretStoreError>.failure(.cancelled))
    let isDone = DispatchSemaphore(value: 0)
    Task {
      let result: Result<Value?, SecretStoreError>
      do throws(SecretStoreError) {
        let context = AuthenticationContext(reason: "Read a password")
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
