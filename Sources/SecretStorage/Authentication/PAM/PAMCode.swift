/// A return code of Linux-PAM.
struct PAMCode: RawRepresentable, Hashable, Sendable {
  let rawValue: Int32

  static let success = PAMCode(rawValue: 0)
  static let outOfMemory = PAMCode(rawValue: 5)  // PAM_BUF_ERR
  static let conversationFailed = PAMCode(rawValue: 19)  // PAM_CONV_ERR

  /// The codes that mean that the login was denied, as opposed to not being possible.
  ///
  /// PAM_PERM_DENIED, PAM_AUTH_ERR, PAM_CRED_INSUFFICIENT, PAM_USER_UNKNOWN, PAM_MAXTRIES,
  /// PAM_NEW_AUTHTOK_REQD, PAM_ACCT_EXPIRED, PAM_CRED_EXPIRED, PAM_AUTHTOK_EXPIRED.
  private static let denials: Set<Int32> = [6, 7, 8, 10, 11, 12, 13, 16, 27]

  /// Returns an error for the code, with the library's text.
  func error(_ text: String, of service: PAMService) -> SecretStoreError {
    if Self.denials.contains(rawValue) {
      return .denied("the PAM service \(service.name) reported: \(text)")
    }
    return .unavailable(
      """
      The PAM service \(service.name) failed: \(text) (PAM code \(rawValue)). See the system log for \
      details, and check the service's file and its modules.
      """)
  }
}
