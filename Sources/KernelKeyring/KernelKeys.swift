import CLibrary
import CVariadic
import SecretStorage

/// The kernel's system calls for keys, keyrings(7).
enum KernelKeys {
  /// A failed call, with its error number.
  struct Failure: Error {
    let call: String
    let code: Int32
  }

  // <linux/keyctl.h>
  static let processKeyring = -2  // KEY_SPEC_PROCESS_KEYRING
  static let userKeyring = -4  // KEY_SPEC_USER_KEYRING
  private static let revokeOperation: Int32 = 3
  private static let linkOperation: Int32 = 8
  private static let unlinkOperation: Int32 = 9
  private static let searchOperation: Int32 = 10
  private static let readOperation: Int32 = 11
  private static let timeoutOperation: Int32 = 15

  private static func perform(_ name: String, _ call: () -> Int) throws(Failure) -> Int {
    let result = call()
    if result < 0 { throw Failure(call: name, code: errno) }
    return result
  }

  /// Adds a key of the type "user" to a keyring, and returns its number.
  static func add(_ name: String, _ payload: Secret, to keyring: Int) throws(Failure) -> Int {
    // The kernel copies the strings and the bytes during the call.
    try perform("add_key") {
      unsafe payload.withUnsafeBytes { bytes in
        unsafe variadic_add_key("user", name, bytes.baseAddress, bytes.count, Int32(keyring))
      }
    }
  }

  private static func control(
    _ name: String, _ operation: Int32, _ first: Int, _ second: Int = 0
  ) throws(Failure) -> Int {
    try perform("keyctl(\(name))") { variadic_keyctl(operation, first, second, 0, 0) }
  }

  /// Makes the kernel remove a key after a number of seconds.
  static func setTimeout(_ seconds: UInt32, of key: Int) throws(Failure) {
    _ = try control("KEYCTL_SET_TIMEOUT", timeoutOperation, key, Int(seconds))
  }

  /// Links a key or keyring to a keyring, in place of a key with the same name.
  static func link(_ key: Int, to keyring: Int) throws(Failure) {
    _ = try control("KEYCTL_LINK", linkOperation, key, keyring)
  }

  static func unlink(_ key: Int, from keyring: Int) throws(Failure) {
    _ = try control("KEYCTL_UNLINK", unlinkOperation, key, keyring)
  }

  /// Makes a key unreadable for all processes.
  static func revoke(_ key: Int) throws(Failure) {
    _ = try control("KEYCTL_REVOKE", revokeOperation, key)
  }

  /// Returns the number of a key of the type "user"; nil if there is none or its time is over.
  static func find(_ name: String, in keyring: Int) throws(Failure) -> Int? {
    do {
      return try perform("keyctl(KEYCTL_SEARCH)") {
        unsafe "user".withCString { type in
          unsafe name.withCString { name in
            variadic_keyctl(
              searchOperation, keyring, Int(bitPattern: type), Int(bitPattern: name), 0)
          }
        }
      }
    } catch {
      if error.meansAbsent { return nil }
      throw error
    }
  }

  /// Returns the bytes of a key; nil if it is gone or has another size.
  static func read(_ key: Int, count: Int) throws(Failure) -> Secret? {
    var size = 0
    do {
      let secret = try unsafe Secret(count: count) { buffer throws(Failure) in
        size = try perform("keyctl(KEYCTL_READ)") {
          variadic_keyctl(readOperation, key, Int(bitPattern: buffer.baseAddress), count, 0)
        }
      }
      return size == count ? secret : nil
    } catch {
      if error.meansAbsent { return nil }
      throw error
    }
  }
}

extension KernelKeys.Failure {
  /// Whether the key does not exist, has expired or was revoked.
  fileprivate var meansAbsent: Bool { [ENOKEY, EKEYEXPIRED, EKEYREVOKED].contains(code) }
}
