#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// Where the program writes; unlike `print`, it notices a full disk.
enum Output {
  enum Stream: Int32 {
    case standardOutput = 1
    case standardError = 2
  }

  static func line(_ text: String, to stream: Stream = .standardOutput) throws(Failure) {
    try write(Array("\(text)\n".utf8), to: stream)
  }

  static func write(_ bytes: [UInt8], to stream: Stream = .standardOutput) throws(Failure) {
    var done = 0
    while done < bytes.count {
      // The span of the array is used inside of the closure alone.
      let count = unsafe bytes.withUnsafeBytes { buffer in
        #if canImport(Glibc)
          unsafe Glibc.write(stream.rawValue, buffer.baseAddress! + done, buffer.count - done)
        #else
          unsafe Musl.write(stream.rawValue, buffer.baseAddress! + done, buffer.count - done)
        #endif
      }
      if count > 0 {
        done += count
      } else if count == 0 || errno != EINTR {
        throw Failure("Nothing more can be written to the output: \(SystemCall.reason).")
      }
    }
  }
}
