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
