import CipherSupport
import Concurrency
import TestSupport

@testable import SecretStorage

struct MeasuredCipher: ForwardingCipher {
  /// Work, in bytes or calls.
  struct Work { var digested = 0, sealed = 0, opened = 0, derived = 0, stretched = 0 }

  let cipher = TestCipher()
  private let work = Lock(Work())

  /// Returns the work since the last call.
  func takeWork() -> Work { work.exchange(Work()) }

  func digest(_ bytes: ArraySlice<UInt8>) throws(SecretStoreError) -> [UInt8] {
    work.withLock { $0.digested += bytes.count }
    return try cipher.digest(bytes)
  }

  func deriveKey(
    from key: Secret, salt: ArraySlice<UInt8>, purpose: String
  ) throws(SecretStoreError) -> Secret {
    work.withLock { $0.derived += 1 }
    return try cipher.deriveKey(from: key, salt: salt, purpose: purpose)
  }

  func stretch(
    _ passphrase: Secret, salt: ArraySlice<UInt8>, cost: ScryptCost
  ) throws(SecretStoreError) -> Secret {
    work.withLock { $0.stretched += 1 }
    // A slot may claim any cost; each opens the same.
    return try cipher.stretch(passphrase, salt: salt, cost: .minimum)
  }

  func seal(
    _ plaintext: Secret, with key: Secret, authenticating context: [UInt8]
  ) throws(SecretStoreError) -> [UInt8] {
    work.withLock { $0.sealed += plaintext.count + context.count }
    return try cipher.seal(plaintext, with: key, authenticating: context)
  }

  func open(
    _ sealed: ArraySlice<UInt8>, with key: Secret, authenticating context: [UInt8]
  ) throws(SecretStoreError) -> Secret {
    work.withLock { $0.opened += sealed.count + context.count }
    return try cipher.open(sealed, with: key, authenticating: context)
  }
}
