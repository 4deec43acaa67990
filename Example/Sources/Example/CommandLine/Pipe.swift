#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// The two ends of a pipe, neither of which a child process gets.
struct Pipe {
  let reader: Int32
  let writer: Int32

  init() throws(Failure) {
    var ends: [Int32] = [-1, -1]
    // The kernel writes two numbers.
    guard unsafe pipe(&ends) == 0 else {
      throw Failure("There is no pipe to be had: \(SystemCall.reason).")
    }
    reader = ends[0]
    writer = ends[1]
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  }
}

/// A pipe that wakes up whoever polls it.
final class WakingPipe: Sendable {
  /// Becomes readable when it was woken.
  let reader: Int32
  private let writer: Int32

  init() throws(Failure) {
    let pipe = try Pipe()
    (reader, writer) = (pipe.reader, pipe.writer)
    for end in [reader, writer] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
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

  /// Makes it sleep again.
  func drain() {
    var byte: UInt8 = 0
    // As above.
    while unsafe read(reader, &byte, 1) == 1 {}
  }
}
