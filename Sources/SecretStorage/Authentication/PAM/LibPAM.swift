import Concurrency
import StorageInternals

/// The functions of Linux-PAM's libpam, loaded on first use.
///
/// The constants are those of its `<security/_pam_types.h>`. `@unchecked`: the function pointers do
/// not change, and threads may use the library concurrently with separate handles.
@safe final class LibPAM: @unchecked Sendable {
  static let shared = LazyValue { () throws(Unavailable) in try LibPAM() }

  /// `pam_handle_t *`.
  typealias Handle = OpaquePointer
  typealias CString = UnsafePointer<CChar>

  /// `int (*)(int num_msg, const struct pam_message **msg, struct pam_response **resp,
  ///   void *appdata_ptr)`, with raw memory for C's structures.
  typealias Converse =
    @convention(c) (
      Int32, UnsafePointer<UnsafeRawPointer?>?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
      UnsafeMutableRawPointer?
    ) -> Int32

  /// `struct pam_conv { int (*conv)(…); void *appdata_ptr; }`.
  @unsafe struct Conversation {
    let converse: Converse
    let context: UnsafeMutableRawPointer
  }

  /// `struct pam_message { int msg_style; const char *msg; }`.
  @unsafe struct Message {
    let style: Int32
    let text: CString?
  }

  /// `struct pam_response { char *resp; int resp_retcode; }`.
  @unsafe struct Response {
    var text: UnsafeMutablePointer<CChar>?
    var unused: Int32
  }

  /// PAM_CONV_ERR, the result of a conversation that failed.
  static let conversationFailed: Int32 = 19
  /// The codes that deny a login: PAM_PERM_DENIED, PAM_AUTH_ERR, PAM_CRED_INSUFFICIENT,
  /// PAM_USER_UNKNOWN, PAM_MAXTRIES, PAM_NEW_AUTHTOK_REQD, PAM_ACCT_EXPIRED, PAM_CRED_EXPIRED and
  /// PAM_AUTHTOK_EXPIRED.
  private static let denials: Set<Int32> = [6, 7, 8, 10, 11, 12, 13, 16, 27]
  /// PAM_MAX_NUM_MSG, the maximum number of messages in one call of the conversation.
  static let messageLimit = 32
  /// PAM_DISALLOW_NULL_AUTHTOK denies accounts without a password, whose login proves nothing.
  static let disallowNullToken: Int32 = 0x0001

  // int pam_start(const char *service_name, const char *user,
  //   const struct pam_conv *pam_conversation, pam_handle_t **pamh);
  private let start:
    @convention(c) (CString, CString, UnsafeRawPointer, UnsafeMutablePointer<Handle?>) -> Int32
  // int pam_start_confdir(const char *service_name, const char *user,
  //   const struct pam_conv *pam_conversation, const char *confdir, pam_handle_t **pamh);
  typealias StartInDirectory =
    @convention(c) (
      CString, CString, UnsafeRawPointer, CString, UnsafeMutablePointer<Handle?>
    ) -> Int32
  // nil before version 1.4 of Linux-PAM.
  let startInDirectory: StartInDirectory?
  // int pam_set_item(pam_handle_t *pamh, int item_type, const void *item);
  private let setItem: @convention(c) (Handle, Int32, UnsafeRawPointer) -> Int32
  // int pam_authenticate(pam_handle_t *pamh, int flags);
  let authenticate: @convention(c) (Handle, Int32) -> Int32
  // int pam_acct_mgmt(pam_handle_t *pamh, int flags);
  let checkAccount: @convention(c) (Handle, Int32) -> Int32
  // int pam_end(pam_handle_t *pamh, int pam_status);
  let end: @convention(c) (Handle, Int32) -> Int32
  // const char *pam_strerror(pam_handle_t *pamh, int errnum);
  private let describe: @convention(c) (Handle?, Int32) -> CString?

  private init() throws(Unavailable) {
    let library = try DynamicLibrary(
      anyOf: ["libpam.so.0"],
      packages: [
        "Debian and Ubuntu": "libpam0g", "Fedora": "pam-libs", "Arch": "pam", "Alpine": "linux-pam",
      ])
    unsafe start = try library.function("pam_start")
    unsafe startInDirectory = try? library.function("pam_start_confdir", as: StartInDirectory.self)
    unsafe setItem = try library.function("pam_set_item")
    unsafe authenticate = try library.function("pam_authenticate")
    unsafe checkAccount = try library.function("pam_acct_mgmt")
    unsafe end = try library.function("pam_end")
    unsafe describe = try library.function("pam_strerror")
  }

  /// Starts a transaction; returns its handle, or nil and the code of the error.
  func begin(
    _ service: PAMService, user: String, _ conversation: Conversation
  ) -> (handle: Handle?, code: Int32) {
    var conversation = unsafe conversation
    var handle: Handle?
    let code: Int32
    if let directory = service.directory, let startInDirectory = unsafe startInDirectory {
      code = unsafe startInDirectory(service.name, user, &conversation, directory, &handle)
    } else {
      code = unsafe start(service.name, user, &conversation, &handle)
    }
    return unsafe (code == 0 ? handle : nil, code)
  }

  /// Sets the user's terminal, which modules may query.
  func setTerminal(_ path: String, of handle: Handle) -> Int32 {
    // PAM_TTY is 3.
    unsafe path.withCString { unsafe setItem(handle, 3, $0) }
  }

  /// Returns the error for a code other than 0, with PAM's description of it.
  func error(_ code: Int32, _ handle: Handle?, of service: PAMService) -> SecretStoreError {
    let message =
      unsafe describe(handle, code).map { unsafe String(cString: $0) } ?? "no reason given"
    if Self.denials.contains(code) {
      return .denied("the PAM service \(service.name) reported: \(message)")
    }
    return .unavailable(
      """
      The PAM service \(service.name) failed: \(message) (PAM code \(code)). See the system log for \
      details, and check the service's file and its modules.
      """)
  }
}
