import CLibrary
import Concurrency
import StorageInternals
import Synchronization

/// A connection to one server, kept between requests.
///
/// `@unchecked`: one thread at a time uses the object, except for `cancel()`.
@safe final class HTTPConnection: @unchecked Sendable {
  struct Answer {
    let status: Int
    let body: [UInt8]
    /// Whether the request may have been sent twice: libcurl repeats one if a kept connection ends
    /// before an answer.
    var mayBeRepeated = false
  }

  /// The failure of a transfer.
  struct Failure: Error {
    let code: Int32
    let message: String

    /// Whether the request was certainly not sent; see libcurl-errors(3).
    var isUnsent: Bool { [5, 6, 7, 35, 53, 54, 58, 59, 60, 66, 77, 80, 82, 83, 91].contains(code) }
    /// Whether a certificate was refused.
    var isOfCertificate: Bool {
      // In TLS 1.3, the server's alert comes instead of an answer: codes 55 and 56.
      [35, 58, 59, 60, 66, 77, 80, 83, 91].contains(code)
        || [55, 56].contains(code) && message.contains(" alert ")
    }
  }

  /// The bytes of an answer, which the library's callback appends to.
  private final class Sink {
    var bytes: [UInt8] = []
    var limit = 0
  }

  private static let errorBufferSize = 256  // CURL_ERROR_SIZE

  private let curl: LibCurl
  private let easy: LibCurl.Handle
  /// The address of the handle of a stream; zero until there is one.
  private let multi = Atomic<UInt>(0)
  private let errorBuffer: UnsafeMutablePointer<CChar>
  private let sink = Sink()
  /// Whether there was an answer on the connection.
  private var isUsed = false
  private let isCancelled = Atomic(false)

  init(_ material: EtcdTLS.Material?) throws(EtcdError) {
    do {
      curl = try LibCurl.shared.get()
    } catch {
      throw .missingLibrary("\(error)")
    }
    guard let easy = unsafe curl.easyInit() else {
      throw .unreachable("libcurl cannot create a connection")
    }
    unsafe self.easy = easy
    unsafe errorBuffer = .allocate(capacity: Self.errorBufferSize)
    unsafe errorBuffer.initialize(repeating: 0, count: Self.errorBufferSize)
    let write: LibCurl.Write = { bytes, size, count, context in
      // The connection owns the sink, and outlives the transfer.
      guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
      let sink = unsafe Unmanaged<Sink>.fromOpaque(context).takeUnretainedValue()
      let (total, didOverflow) = size.multipliedReportingOverflow(by: count)
      // A smaller result than the number of bytes ends the transfer.
      if didOverflow || total > sink.limit - sink.bytes.count { return 0 }
      unsafe sink.bytes.append(
        contentsOf: UnsafeRawBufferPointer(start: UnsafeRawPointer(bytes), count: total))
      return total
    }
    // A function without a context has the size of a pointer.
    unsafe curl.set(.writeFunction, to: unsafeBitCast(write, to: UnsafeRawPointer.self), of: easy)
    unsafe curl.set(
      .writeData, to: UnsafeRawPointer(Unmanaged.passUnretained(sink).toOpaque()), of: easy)
    unsafe curl.set(.errorBuffer, to: UnsafeRawPointer(errorBuffer), of: easy)
    unsafe curl.set(.noSignal, to: 1, of: easy)
    unsafe curl.set(.keepAlive, to: 1, of: easy)
    unsafe curl.set(.httpVersion, to: 4, of: easy)  // CURL_HTTP_VERSION_2TLS
    unsafe curl.set(.protocols, to: 3, of: easy)  // CURLPROTO_HTTP | CURLPROTO_HTTPS
    // A proxy of the environment must not see the requests.
    unsafe curl.set(.noProxy, to: "*", of: easy)
    unsafe curl.set(.post, to: 1, of: easy)
    if let material {
      try set(material.authority, .authority, .authorityFile)
      try set(material.certificate, .certificate, .certificateFile)
      try set(material.key, .key, .keyFile)
    }
  }

  deinit {
    if let multi = unsafe openedMulti { _ = unsafe curl.multiCleanup(multi) }
    unsafe curl.easyCleanup(easy)
    unsafe errorBuffer.deallocate()
  }

  private func set(
    _ item: EtcdTLS.Material.Item?, _ option: LibCurl.Option, _ fileOption: LibCurl.Option
  ) throws(EtcdError) {
    guard let item else { return }
    if curl.readsMemory, unsafe curl.set(option, to: item.bytes, of: easy) == 0 { return }
    guard let path = item.path, unsafe curl.set(fileOption, to: path, of: easy) == 0 else {
      throw .invalid(
        """
        \(curl.name) cannot read certificates from memory. Pass them as files, or install a \
        libcurl that uses OpenSSL.
        """)
    }
  }

  /// Sends a request, and returns the answer, which has at most `limit` bytes.
  ///
  /// A connection without a byte for the time `silence`, in whole seconds, has failed as well.
  func post(
    _ url: String, _ body: [UInt8], headers: [String], timeout: Duration, silence: Duration,
    limit: Int
  ) throws(Failure) -> Answer {
    let list = unsafe prepare(
      url, headers: headers, timeout: timeout, silence: silence,
      connecting: min(timeout, silence), limit: limit)
    defer { unsafe curl.listFree(list) }
    let code = unsafe body.withUnsafeBytes { bytes in
      // The body is not copied, and outlives the transfer.
      unsafe curl.set(.bodySize, to: bytes.count, of: easy)
      unsafe curl.set(.body, to: bytes.baseAddress ?? UnsafeRawPointer(errorBuffer), of: easy)
      return unsafe curl.perform(easy)
    }
    if code != 0 { throw failure(code) }
    defer {
      sink.bytes = []
      isUsed = true
    }
    return Answer(
      status: unsafe curl.status(of: easy), body: sink.bytes,
      mayBeRepeated: unsafe isUsed && curl.connectionCount(of: easy) > 0)
  }

  private func prepare(
    _ url: String, headers: [String], timeout: Duration, silence: Duration,
    connecting: Duration, limit: Int
  ) -> LibCurl.Handle? {
    sink.bytes = []
    sink.limit = limit
    unsafe errorBuffer.pointee = 0
    unsafe curl.set(.url, to: url, of: easy)
    unsafe curl.set(.timeout, to: milliseconds(timeout), of: easy)
    unsafe curl.set(.lowSpeedLimit, to: 1, of: easy)
    unsafe curl.set(.lowSpeedTime, to: (milliseconds(silence) + 999) / 1000, of: easy)
    unsafe curl.set(.connectTimeout, to: max(1, milliseconds(connecting)), of: easy)
    // Without the empty header, a large body would wait for a confirmation.
    let list = unsafe curl.list(of: headers + ["Content-Type: application/json", "Expect:"])
    unsafe curl.set(.headers, to: list.map { unsafe UnsafeRawPointer($0) }, of: easy)
    return unsafe list
  }

  private func failure(_ code: Int32) -> Failure {
    var detail = unsafe String(cString: errorBuffer)
    // Messages continue after it.
    if detail.last == "." { detail.removeLast() }
    return Failure(code: code, message: detail.isEmpty ? curl.message(for: code) : detail)
  }

  private func milliseconds(_ duration: Duration) -> Int {
    Int(max(0, min(duration / .milliseconds(1), 1e9)).rounded(.up))
  }
}

extension HTTPConnection {
  /// Sends a request whose answer has a line for each event, and calls closures until it ends.
  ///
  /// A line has at most `lineLimit` bytes. `onSilence` is called repeatedly with the time since the
  /// last byte. Both closures return false to end the stream. Returns the status, and what follows
  /// the last line.
  func stream(
    _ url: String, _ body: [UInt8], headers: [String], connecting: Duration, lineLimit: Int,
    onLine: (ArraySlice<UInt8>) -> Bool, onSilence: (Duration) -> Bool
  ) throws(Failure) -> Answer {
    guard let multi = unsafe openMulti() else { return Answer(status: 0, body: []) }
    let list = unsafe prepare(
      url, headers: headers, timeout: .zero, silence: .zero, connecting: connecting,
      limit: lineLimit)
    defer { unsafe curl.listFree(list) }
    let result: Result<Answer, Failure> = unsafe body.withUnsafeBytes { bytes in
      unsafe curl.set(.bodySize, to: bytes.count, of: easy)
      unsafe curl.set(.body, to: bytes.baseAddress ?? UnsafeRawPointer(errorBuffer), of: easy)
      _ = unsafe curl.multiAdd(multi, easy)
      defer { _ = unsafe curl.multiRemove(multi, easy) }
      var lastByte = ContinuousClock.now
      var running: Int32 = 1
      while running > 0, !isCancelled.load(ordering: .acquiring) {
        let before = sink.bytes.count
        let code = unsafe curl.multiPerform(multi, &running)
        if code != 0 {
          return .failure(Failure(code: 56, message: "libcurl failed with code \(code)"))
        }
        if sink.bytes.count > before {
          lastByte = .now
          if !passLines(from: before, to: onLine) { break }
        } else if !onSilence(.now - lastByte) {
          break
        }
        if running > 0 { _ = unsafe curl.multiPoll(multi, nil, 0, 500, nil) }
      }
      defer { sink.bytes = [] }
      let status = unsafe curl.status(of: easy)
      if status == 0, let code = unsafe curl.result(of: multi), code != 0 {
        return .failure(failure(code))
      }
      return .success(Answer(status: status, body: sink.bytes))
    }
    return try result.get()
  }

  private func openMulti() -> LibCurl.Handle? {
    if unsafe openedMulti == nil {
      multi.store(unsafe UInt(bitPattern: curl.multiInit()), ordering: .releasing)
    }
    return unsafe openedMulti
  }

  private var openedMulti: LibCurl.Handle? {
    unsafe LibCurl.Handle(bitPattern: multi.load(ordering: .acquiring))
  }

  /// Passes each whole line to a closure; returns false if it does.
  ///
  /// The first line ends at or after the offset, so that a long line is searched once.
  private func passLines(from offset: Int, to onLine: (ArraySlice<UInt8>) -> Bool) -> Bool {
    var (start, unsearched) = (0, offset)
    while let end = sink.bytes[unsearched...].firstIndex(of: UInt8(ascii: "\n")) {
      if !onLine(sink.bytes[start..<end]) { return false }
      start = end + 1
      unsearched = start
    }
    sink.bytes.removeFirst(start)
    return true
  }

  /// Ends the stream of another thread within milliseconds.
  func cancel() {
    isCancelled.store(true, ordering: .releasing)
    if let multi = unsafe openedMulti { _ = unsafe curl.multiWakeup(multi) }
  }
}
