#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// A pipe that wakes up whoever polls it: what is written to it can be waited for together with a
/// terminal, and a signal handler may write to it.
final class WakingPipe: Sendable {
  let reader: Int32
  let writer: Int32

  init() throws(SecretStoreError) {
    var ends: [Int32] = [-1, -1]
    // The kernel writes two numbers.
    guard unsafe pipe(&ends) == 0 else {
      throw .system(call: "pipe", path: "this process", code: errno)
    }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (reader, writer) = (ends[0], ends[1])
  }

  deinit {
    close(reader)
    close(writer)
  }

  func wake() {
    var byte: UInt8 = 0
    // The byte is a variable of this call. A pipe that is full wakes as well.
    _ = unsafe write(writer, &byte, 1)
  }

  /// The next byte that was written, if there is one.
  func next() -> UInt8? {
    var byte: UInt8 = 0
    // The byte is a variable of this call.
    return unsafe read(reader, &byte, 1) == 1 ? byte : nil
  }
}
