/// What a function of Linux-PAM returns.
struct PAMCode: RawRepresentable, Hashable, Sendable {
  let rawValue: Int32

  static let success = PAMCode(rawValue: 0)
  static let outOfMemory = PAMCode(rawValue: 5)  // PAM_BUF_ERR
  static let conversationFailed = PAMCode(rawValue: 19)  // PAM_CONV_ERR

  /// The codes that mean that the person may not, rather than that nobody could find out.
  ///
  /// PAM_PERM_DENIED, PAM_AUTH_ERR, PAM_CRED_INSUFFICIENT, PAM_USER_UNKNOWN, PAM_MAXTRIES,
  /// PAM_NEW_AUTHTOK_REQD, PAM_ACCT_EXPIRED, PAM_CRED_EXPIRED, PAM_AUTHTOK_EXPIRED.
  private static let denials: Set<Int32> = [6, 7, 8, 10, 11, 12, 13, 16, 27]

  /// What the code comes to, with the library's text for it.
  func error(_ text: String, of service: PAMService) -> SecretStoreError {
    if Self.denials.contains(rawValue) {
      return .denied("the PAM service \(service.name) says: \(text)")
    }
    return .unavailable(
      """
      The PAM service \(service.name) cannot authenticate: \(text) (PAM code \(rawValue)). The \
      system's log has the details; look into the service's file and the modules that it names.
      """)
  }
}
