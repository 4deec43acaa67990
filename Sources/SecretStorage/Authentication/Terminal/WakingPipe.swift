import CLibrary

/// A pipe that wakes a thread that waits in `poll`; a signal handler may write to it.
final class WakingPipe: Sendable {
  let reader: Int32
  let writer: Int32

  init() throws(SecretStoreError) {
    var ends: [Int32] = [-1, -1]
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
    // An error is ignored, because a full pipe is readable as well.
    _ = unsafe write(writer, &byte, 1)
  }

  /// Returns the next byte, if one was written.
  func next() -> UInt8? {
    var byte: UInt8 = 0
    return unsafe read(reader, &byte, 1) == 1 ? byte : nil
  }
}
