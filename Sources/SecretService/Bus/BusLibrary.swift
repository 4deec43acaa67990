import Concurrency
import StorageInternals

/// The functions of systemd's sd-bus that Locket uses, loaded on first use.
///
/// elogind and basu have the same functions. None of them is variadic, and none calls back.
///
/// `@unchecked`: the function pointers are constants; each bus is used by one thread at a time.
@safe struct BusLibrary: @unchecked Sendable {
  static let shared = LazyValue { () throws(DynamicLibraryError) in try BusLibrary() }

  /// `sd_bus *`.
  typealias Bus = OpaquePointer
  /// `sd_bus_message *`.
  typealias Message = OpaquePointer
  typealias CString = UnsafePointer<CChar>

  /// `sd_bus_error { const char *name; const char *message; int _need_free; }`.
  @unsafe struct Failure {
    var name: CString?
    var message: CString?
    var needsRelease: Int32 = 0
  }

  // int sd_bus_new(sd_bus **ret);
  let new: @convention(c) (UnsafeMutablePointer<Bus?>) -> Int32
  // int sd_bus_set_address(sd_bus *bus, const char *address);
  let setAddress: @convention(c) (Bus, CString) -> Int32
  // int sd_bus_set_bus_client(sd_bus *bus, int b);
  let setBusClient: @convention(c) (Bus, Int32) -> Int32
  // int sd_bus_start(sd_bus *bus);
  let start: @convention(c) (Bus) -> Int32
  // int sd_bus_is_ready(sd_bus *bus);
  let isReady: @convention(c) (Bus) -> Int32
  // int sd_bus_process(sd_bus *bus, sd_bus_message **ret);
  let process: @convention(c) (Bus, UnsafeMutablePointer<Message?>?) -> Int32
  // int sd_bus_wait(sd_bus *bus, uint64_t timeout_usec);
  let wait: @convention(c) (Bus, UInt64) -> Int32
  // void sd_bus_close(sd_bus *bus);
  let close: @convention(c) (Bus) -> Void
  // sd_bus *sd_bus_unref(sd_bus *bus);
  let release: @convention(c) (Bus?) -> Bus?
  // int sd_bus_call(sd_bus *bus, sd_bus_message *m, uint64_t usec, sd_bus_error *ret_error,
  //   sd_bus_message **ret_reply);
  let call:
    @convention(c) (
      Bus, Message, UInt64, UnsafeMutableRawPointer?, UnsafeMutablePointer<Message?>?
    ) -> Int32
  // void sd_bus_error_free(sd_bus_error *e);
  let releaseError: @convention(c) (UnsafeMutableRawPointer) -> Void

  // int sd_bus_message_new_method_call(sd_bus *bus, sd_bus_message **m, const char *destination,
  //   const char *path, const char *interface, const char *member);
  let newMethodCall:
    @convention(c) (
      Bus, UnsafeMutablePointer<Message?>, CString, CString, CString, CString
    ) -> Int32
  // sd_bus_message *sd_bus_message_unref(sd_bus_message *m);
  let releaseMessage: @convention(c) (Message?) -> Message?
  // int sd_bus_message_set_auto_start(sd_bus_message *m, int b);
  let setAutoStart: @convention(c) (Message, Int32) -> Int32
  // int sd_bus_message_sensitive(sd_bus_message *m);
  /// Available since version 246; nil in older versions, which do not overwrite messages.
  let markSensitive: (@convention(c) (Message) -> Int32)?
  // int sd_bus_message_append_basic(sd_bus_message *m, char type, const void *p);
  let appendBasic: @convention(c) (Message, CChar, UnsafeRawPointer) -> Int32
  // int sd_bus_message_append_array(sd_bus_message *m, char type, const void *ptr, size_t size);
  let appendArray: @convention(c) (Message, CChar, UnsafeRawPointer?, Int) -> Int32
  // int sd_bus_message_open_container(sd_bus_message *m, char type, const char *contents);
  let openContainer: @convention(c) (Message, CChar, CString) -> Int32
  // int sd_bus_message_close_container(sd_bus_message *m);
  let closeContainer: @convention(c) (Message) -> Int32
  // int sd_bus_message_enter_container(sd_bus_message *m, char type, const char *contents);
  let enterContainer: @convention(c) (Message, CChar, CString) -> Int32
  // int sd_bus_message_exit_container(sd_bus_message *m);
  let exitContainer: @convention(c) (Message) -> Int32
  // int sd_bus_message_read_basic(sd_bus_message *m, char type, void *p);
  let readBasic: @convention(c) (Message, CChar, UnsafeMutableRawPointer) -> Int32
  // int sd_bus_message_read_array(sd_bus_message *m, char type, const void **ptr, size_t *size);
  let readArray:
    @convention(c) (
      Message, CChar, UnsafeMutablePointer<UnsafeRawPointer?>, UnsafeMutablePointer<Int>
    ) -> Int32
  // int sd_bus_message_skip(sd_bus_message *m, const char *types);
  let skip: @convention(c) (Message, CString?) -> Int32
  // int sd_bus_message_at_end(sd_bus_message *m, int complete);
  let isAtEnd: @convention(c) (Message, Int32) -> Int32
  // const char *sd_bus_message_get_path(sd_bus_message *m);  (also …_interface, _member, _sender)
  let path, interface, member, sender: @convention(c) (Message) -> CString?

  private init() throws(DynamicLibraryError) {
    let library = try DynamicLibrary(
      anyOf: ["libsystemd.so.0", "libelogind.so.0", "libbasu.so.0"],
      packages: [
        "Debian and Ubuntu": "libsystemd0", "Fedora": "systemd-libs", "Arch": "systemd-libs",
        "Alpine": "libelogind or basu",
      ])
    func function<Function>(_ name: String) throws(DynamicLibraryError) -> Function {
      try library.function("sd_bus_\(name)", as: Function.self)
    }
    unsafe new = try function("new")
    unsafe setAddress = try function("set_address")
    unsafe setBusClient = try function("set_bus_client")
    unsafe start = try function("start")
    unsafe isReady = try function("is_ready")
    unsafe process = try function("process")
    unsafe wait = try function("wait")
    unsafe close = try function("close")
    unsafe release = try function("unref")
    unsafe call = try function("call")
    unsafe releaseError = try function("error_free")
    unsafe newMethodCall = try function("message_new_method_call")
    unsafe releaseMessage = try function("message_unref")
    unsafe setAutoStart = try function("message_set_auto_start")
    unsafe markSensitive =
      unsafe library.symbol("sd_bus_message_sensitive") == nil
      ? nil : try function("message_sensitive")
    unsafe appendBasic = try function("message_append_basic")
    unsafe appendArray = try function("message_append_array")
    unsafe openContainer = try function("message_open_container")
    unsafe closeContainer = try function("message_close_container")
    unsafe enterContainer = try function("message_enter_container")
    unsafe exitContainer = try function("message_exit_container")
    unsafe readBasic = try function("message_read_basic")
    unsafe readArray = try function("message_read_array")
    unsafe skip = try function("message_skip")
    unsafe isAtEnd = try function("message_at_end")
    unsafe path = try function("message_get_path")
    unsafe interface = try function("message_get_interface")
    unsafe member = try function("message_get_member")
    unsafe sender = try function("message_get_sender")
  }
}
