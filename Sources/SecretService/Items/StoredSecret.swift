import SecretStorage

/// The bytes under which a secret is kept by a daemon.
///
/// One line of printable ASCII is kept as it is, so that other programs can show it. Anything else
/// is kept as a `data:` URL (RFC 2397) with its content type in base64: daemons lose bytes from
/// 0x80, leading spaces and backslashes, and a line break destroys a keyring without a password.
/// The form is part of the bytes, because a daemon changes the attributes in a separate step.
enum StoredSecret {
  private static let textPrefix = "data:text/plain;charset=utf-8;base64,"
  private static let binaryPrefix = "data:application/octet-stream;base64,"

  /// Returns the bytes to keep for a secret.
  static func encode(_ secret: Secret) -> Secret {
    if isSafeLine(secret), !starts(secret, with: "data:") { return secret }
    let isText =
      unsafe secret.withUnsafeBytes { unsafe String(validating: $0, as: UTF8.self) } != nil
    let encoded = encodeBase64(secret)
    let prefix = Array((isText ? textPrefix : binaryPrefix).utf8)
    return unsafe encoded.withUnsafeBytes { bytes in
      unsafe Secret(count: prefix.count + bytes.count) { output in
        let output = UnsafeMutableRawBufferPointer(output)
        unsafe output.copyBytes(from: prefix)
        unsafe UnsafeMutableRawBufferPointer(rebasing: output[prefix.count...]).copyMemory(
          from: bytes)
      }
    }
  }

  /// Reverses `encode`; nil if the bytes are in no form that it returns.
  static func decode(_ stored: Secret) -> Secret? {
    for prefix in [textPrefix, binaryPrefix] where starts(stored, with: prefix) {
      return decodeBase64(
        unsafe stored.withUnsafeBytes { unsafe Secret($0.dropFirst(prefix.utf8.count)) })
    }
    return stored
  }

  private static func starts(_ secret: Secret, with prefix: String) -> Bool {
    unsafe secret.withUnsafeBytes { unsafe $0.starts(with: prefix.utf8) }
  }

  /// The largest secret, in bytes; a daemon writes its whole file at each change.
  static let largestSize = 1 << 20

  static func isSafeLine(_ secret: Secret) -> Bool {
    unsafe secret.withUnsafeBytes { bytes in
      let space = UInt8(ascii: " ")
      return unsafe bytes.first != space && bytes.last != space
        && bytes.allSatisfy { $0 >= space && $0 < 0x7F && $0 != UInt8(ascii: "\\") }
    }
  }

  static func hasControlCharacters(_ secret: Secret) -> Bool {
    unsafe secret.withUnsafeBytes { unsafe $0.contains { $0 < UInt8(ascii: " ") || $0 == 0x7F } }
  }

  static func encodeBase64(_ secret: Secret) -> Secret {
    unsafe secret.withUnsafeBytes { bytes in
      unsafe Secret(count: (bytes.count + 2) / 3 * 4) { output in
        var place = 0
        for start in stride(from: 0, to: bytes.count, by: 3) {
          let count = min(3, bytes.count - start)
          var group: UInt32 = 0
          for index in 0..<3 {
            group = group << 8 | (index < count ? UInt32(unsafe bytes[start + index]) : 0)
          }
          for index in 0..<4 {
            let digit = Int(group >> UInt32(18 - 6 * index)) & 63
            unsafe output[place] = index <= count ? digits[digit] : UInt8(ascii: "=")
            place += 1
          }
        }
      }
    }
  }

  /// Returns nil if the bytes are not canonical base64.
  static func decodeBase64(_ secret: Secret) -> Secret? {
    unsafe secret.withUnsafeBytes { bytes in
      let padding = unsafe bytes.reversed().prefix { $0 == UInt8(ascii: "=") }.count
      guard bytes.count.isMultiple(of: 4), padding <= 2 else { return nil }
      var isValid = true
      let decoded = unsafe Secret(count: bytes.count / 4 * 3 - padding) { output in
        for start in stride(from: 0, to: bytes.count, by: 4) {
          var group: UInt32 = 0
          for index in start..<start + 4 {
            let value = index < bytes.count - padding ? values[Int(unsafe bytes[index])] : 0
            if value > 63 { isValid = false }
            group = group << 6 | UInt32(value & 63)
          }
          for index in 0..<3 {
            let place = start / 4 * 3 + index
            let byte = UInt8(truncatingIfNeeded: group >> UInt32(16 - 8 * index))
            if place < output.count {
              unsafe output[place] = byte
            } else if byte != 0 {
              isValid = false
            }
          }
        }
      }
      return isValid ? decoded : nil
    }
  }

  private static let digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// The value of each digit; 255 for a byte that is none.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 255, count: 256)
    for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
    return values
  }()
}
