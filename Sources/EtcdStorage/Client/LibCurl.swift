import CVariadic
import Concurrency
import LibCrypto
import StorageInternals

/// The functions of libcurl that Locket uses, loaded on first use.
///
/// Constants are those of `<curl/curl.h>`, which never change. `@unchecked`: the function pointers
/// are constants, and threads may use the library concurrently with separate handles.
@safe struct LibCurl: @unchecked Sendable {
  static let shared = LazyValue { () throws(DynamicLibraryError) in try LibCurl() }

  /// `CURL *`, `CURLM *` and `struct curl_slist *`.
  typealias Handle = OpaquePointer
  typealias CString = UnsafePointer<CChar>
  typealias MutableCString = UnsafeMutablePointer<CChar>

  /// `size_t (*)(char *ptr, size_t size, size_t nmemb, void *userdata)`.
  typealias Write = @convention(c) (MutableCString?, Int, Int, UnsafeMutableRawPointer?) -> Int

  /// `struct curl_blob { void *data; size_t len; unsigned int flags; }`.
  @unsafe struct Blob {
    let data: UnsafeRawPointer?
    let count: Int
    /// CURL_BLOB_COPY.
    var flags: UInt32 = 1
  }

  /// The file name of the loaded library.
  let name: String
  /// Whether the library can read certificates from memory.
  let readsMemory: Bool

  // CURL *curl_easy_init(void);
  let easyInit: @convention(c) () -> Handle?
  // void curl_easy_cleanup(CURL *handle);
  let easyCleanup: @convention(c) (Handle) -> Void
  // CURLcode curl_easy_perform(CURL *easy_handle);
  let perform: @convention(c) (Handle) -> Int32
  // const char *curl_easy_strerror(CURLcode errornum);
  private let describe: @convention(c) (Int32) -> CString?
  // struct curl_slist *curl_slist_append(struct curl_slist *list, const char *string);
  private let listAppend: @convention(c) (Handle?, CString) -> Handle?
  // void curl_slist_free_all(struct curl_slist *list);
  let listFree: @convention(c) (Handle?) -> Void
  // CURLM *curl_multi_init(void);
  let multiInit: @convention(c) () -> Handle?
  // CURLMcode curl_multi_cleanup(CURLM *multi_handle);
  let multiCleanup: @convention(c) (Handle) -> Int32
  // CURLMcode curl_multi_add_handle(CURLM *multi_handle, CURL *easy_handle);
  let multiAdd: @convention(c) (Handle, Handle) -> Int32
  // CURLMcode curl_multi_remove_handle(CURLM *multi_handle, CURL *easy_handle);
  let multiRemove: @convention(c) (Handle, Handle) -> Int32
  // CURLMcode curl_multi_perform(CURLM *multi_handle, int *running_handles);
  let multiPerform: @convention(c) (Handle, UnsafeMutablePointer<Int32>) -> Int32
  // CURLMcode curl_multi_poll(CURLM *multi_handle, struct curl_waitfd extra_fds[],
  //   unsigned int extra_nfds, int timeout_ms, int *numfds);
  let multiPoll:
    @convention(c) (Handle, UnsafeRawPointer?, UInt32, Int32, UnsafeMutablePointer<Int32>?) -> Int32
  // CURLMsg *curl_multi_info_read(CURLM *multi_handle, int *msgs_in_queue);
  private let multiInfo: @convention(c) (Handle, UnsafeMutablePointer<Int32>) -> UnsafeRawPointer?
  // CURLMcode curl_multi_wakeup(CURLM *multi_handle);
  let multiWakeup: @convention(c) (Handle) -> Int32
  /// `curl_easy_setopt` and `curl_easy_getinfo`, which are variadic.
  private let setOption, getInfo: @convention(c) () -> Void

  private init() throws(DynamicLibraryError) {
    do throws(DynamicLibraryError) {
      // Without this, libcrypto frees its state at exit, while a watch may still use it.
      _ = try CryptoLibrary.shared.get()
    } catch {
      // libcurl then uses another library for TLS.
    }
    // The variant with GnuTLS cannot read certificates from memory, so it comes last. Its options
    // for that succeed, but have no effect.
    let library = try DynamicLibrary(
      anyOf: ["libcurl.so.4", "libcurl-gnutls.so.4"],
      packages: [
        "Debian and Ubuntu": "libcurl4 or libcurl4t64", "Fedora": "libcurl", "Arch": "curl",
        "Alpine": "libcurl",
      ])
    func function<Function>(_ name: String) throws(DynamicLibraryError) -> Function {
      try library.function(name, as: Function.self)
    }
    // CURLcode curl_global_init(long flags);
    typealias GlobalInit = @convention(c) (Int) -> Int32
    let globalInit: GlobalInit = try function("curl_global_init")
    // char *curl_version(void);
    typealias Version = @convention(c) () -> CString?
    let version: Version = unsafe try function("curl_version")
    let parts = unsafe version().map { unsafe String(cString: $0) } ?? ""
    readsMemory = ["OpenSSL/", "LibreSSL/", "BoringSSL"].contains(where: parts.contains)
    name = library.name
    unsafe easyInit = try function("curl_easy_init")
    unsafe easyCleanup = try function("curl_easy_cleanup")
    unsafe perform = try function("curl_easy_perform")
    unsafe describe = try function("curl_easy_strerror")
    unsafe listAppend = try function("curl_slist_append")
    unsafe listFree = try function("curl_slist_free_all")
    unsafe multiInit = try function("curl_multi_init")
    unsafe multiCleanup = try function("curl_multi_cleanup")
    unsafe multiAdd = try function("curl_multi_add_handle")
    unsafe multiRemove = try function("curl_multi_remove_handle")
    unsafe multiPerform = try function("curl_multi_perform")
    unsafe multiPoll = try function("curl_multi_poll")
    unsafe multiInfo = try function("curl_multi_info_read")
    unsafe multiWakeup = try function("curl_multi_wakeup")
    setOption = try function("curl_easy_setopt")
    getInfo = try function("curl_easy_getinfo")
    // CURL_GLOBAL_DEFAULT; the function may be called repeatedly.
    _ = globalInit(3)
  }

  /// Options of a transfer, the constants `CURLOPT_…`.
  enum Option: Int32 {
    case timeout = 155  // CURLOPT_TIMEOUT_MS
    case connectTimeout = 156  // CURLOPT_CONNECTTIMEOUT_MS
    case noSignal = 99
    case lowSpeedLimit = 19  // CURLOPT_LOW_SPEED_LIMIT, in bytes per second
    case lowSpeedTime = 20  // CURLOPT_LOW_SPEED_TIME, in seconds
    case httpVersion = 84
    case post = 47
    case bodySize = 60  // CURLOPT_POSTFIELDSIZE
    case keepAlive = 213  // CURLOPT_TCP_KEEPALIVE
    case protocols = 181
    case url = 10002
    case noProxy = 10177
    case body = 10015  // CURLOPT_POSTFIELDS
    case headers = 10023  // CURLOPT_HTTPHEADER
    case errorBuffer = 10010
    case writeData = 10001
    case writeFunction = 20011
    case authority = 40309  // CURLOPT_CAINFO_BLOB
    case certificate = 40291  // CURLOPT_SSLCERT_BLOB
    case key = 40292  // CURLOPT_SSLKEY_BLOB
    case authorityFile = 10065  // CURLOPT_CAINFO
    case certificateFile = 10025  // CURLOPT_SSLCERT
    case keyFile = 10087  // CURLOPT_SSLKEY
  }

  // The C target takes the variadic functions as untyped pointers, which have the same size.

  @discardableResult
  func set(_ option: Option, to value: Int, of handle: Handle) -> Int32 {
    unsafe variadic_setopt_long(
      unsafeBitCast(setOption, to: UnsafeMutableRawPointer.self), UnsafeMutableRawPointer(handle),
      option.rawValue, value)
  }

  @discardableResult
  func set(_ option: Option, to value: UnsafeRawPointer?, of handle: Handle) -> Int32 {
    unsafe variadic_setopt_pointer(
      unsafeBitCast(setOption, to: UnsafeMutableRawPointer.self), UnsafeMutableRawPointer(handle),
      option.rawValue, value)
  }

  @discardableResult
  func set(_ option: Option, to value: String, of handle: Handle) -> Int32 {
    // The library copies strings.
    unsafe value.withCString { unsafe set(option, to: UnsafeRawPointer($0), of: handle) }
  }

  /// Sets an option to bytes, which the library copies.
  func set(_ option: Option, to bytes: [UInt8], of handle: Handle) -> Int32 {
    unsafe bytes.withUnsafeBytes { bytes in
      var blob = unsafe Blob(data: bytes.baseAddress, count: bytes.count)
      return unsafe withUnsafePointer(to: &blob) {
        unsafe set(option, to: UnsafeRawPointer($0), of: handle)
      }
    }
  }

  /// The status of the last answer: CURLINFO_RESPONSE_CODE.
  func status(of handle: Handle) -> Int { unsafe number(0x20_0002, of: handle) }

  /// The number of connections that the last transfer made: CURLINFO_NUM_CONNECTS.
  func connectionCount(of handle: Handle) -> Int { unsafe number(0x20_001A, of: handle) }

  private func number(_ info: Int32, of handle: Handle) -> Int {
    var number = 0
    _ = unsafe variadic_getinfo_long(
      unsafeBitCast(getInfo, to: UnsafeMutableRawPointer.self), UnsafeMutableRawPointer(handle),
      info, &number)
    return number
  }

  /// The code of the only transfer of a multi handle; nil while it is running.
  func result(of multi: Handle) -> Int32? {
    var rest: Int32 = 0
    // struct CURLMsg {
    //   CURLMSG msg; CURL *easy_handle; union { void *whatever; CURLcode result; } data;
    // };
    return unsafe multiInfo(multi, &rest).map {
      unsafe $0.load(fromByteOffset: 2 * MemoryLayout<Handle>.size, as: Int32.self)
    }
  }

  /// Returns a list of header lines, which the caller frees.
  func list(of lines: [String]) -> Handle? {
    var list: Handle?
    for line in lines { unsafe list = line.withCString { unsafe listAppend(list, $0) } }
    return unsafe list
  }

  func message(for code: Int32) -> String {
    unsafe describe(code).map { unsafe String(cString: $0) } ?? "code \(code)"
  }
}
