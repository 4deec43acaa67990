import Concurrency
import Dispatch
import StorageInternals

extension SecretCipher {
  /// Derives a key from a passphrase, and throws early if the task is cancelled or a check throws.
  ///
  /// The check is called several times a second. A cipher cannot be interrupted, so the derivation
  /// runs on a separate thread. After an early return, it continues in the background and its
  /// result is discarded. If no thread can be created, it runs to its end on the calling thread.
  func stretch(
    _ passphrase: Secret, salt: ArraySlice<UInt8>, cost: ScryptCost,
    checking check: () throws(SecretStoreError) -> Void
  ) throws(SecretStoreError) -> Secret {
    let derive = { @Sendable () throws(SecretStoreError) in
      try stretch(passphrase, salt: salt, cost: cost)
    }
    let outcome = Lock<Result<Secret, SecretStoreError>?>(nil)
    let end = DispatchSemaphore(value: 0)
    let code = DetachedThread.start {
      // Binds the symbol now. Lazy binding after the derivation would save registers with the key.
      wipeReturnedFrames()
      let result = Result(catching: derive)
      // The stack may be reused by other threads, and the cipher may have left key material on it.
      wipeReturnedFrames()
      outcome.withLock { $0 = result }
      end.signal()
    }
    if code != 0 { return try derive() }
    while end.wait(timeout: .now() + .milliseconds(250)) == .timedOut {
      if TaskCancellation.isRequested { throw .cancelled }
      try check()
    }
    guard let result = outcome.withLock({ $0.take() }) else {
      fatalError("A key derivation ended without a result.")
    }
    return try result.get()
  }
}
