import CLibrary

/// A pipe with which the process wakes one of its threads from `poll`, even in a signal handler.
final class SelfPipe: Sendable {
  let readDescriptor: Int32
  let writeDescriptor: Int32

  init() throws(SecretStoreError) {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else {
      throw .system(call: "pipe", path: "this process", code: errno)
    }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (readDescriptor, writeDescriptor) = (ends[0], ends[1])
  }

  deinit {
    close(readDescriptor)
    close(writeDescriptor)
  }

  func wake() {
    var byte: UInt8 = 0
    // Errors are ignored, because a full pipe is readable as well.
    _ = unsafe write(writeDescriptor, &byte, 1)
  }

  /// Returns the next byte; nil if the pipe is empty.
  func readByte() -> UInt8? {
    var byte: UInt8 = 0
    return unsafe read(readDescriptor, &byte, 1) == 1 ? byte : nil
  }
}
