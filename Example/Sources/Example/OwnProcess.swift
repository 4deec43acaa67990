#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// A second process of this program.
enum OwnProcess {
  /// Runs a process that must succeed, and returns the first line of its output.
  static func run(_ arguments: [String]) throws(Failure) -> String {
    let pipe = try Pipe()
    defer { close(pipe.reader) }
    let process = try spawn(arguments, writingTo: pipe)
    var output: [UInt8] = []
    var byte: UInt8 = 0
    // These calls write into variables of this one.
    while unsafe readBytes(pipe.reader, &byte, 1) == 1 { output.append(byte) }
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) == -1 {
      if errno != EINTR { throw Failure(call: "waitpid") }
    }
    guard status == 0 else { throw Failure("The second process failed.") }
    return String(decoding: output.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }

  private static func spawn(_ arguments: [String], writingTo pipe: Pipe) throws(Failure) -> pid_t {
    defer { close(pipe.writer) }
    // The C structure is of this call alone.
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, pipe.writer, STDOUT_FILENO)
    // The call takes C strings, which are freed below.
    let words = unsafe (["Example"] + arguments).map { unsafe strdup($0) } + [nil]
    defer { unsafe words.forEach { unsafe free($0) } }
    var process: pid_t = 0
    let result = unsafe posix_spawn(
      &process, "/proc/self/exe", &actions, nil, words, environ)
    errno = result
    guard result == 0 else { throw Failure(call: "posix_spawn") }
    return process
  }
}

/// The two ends of a pipe, which child processes do not inherit.
struct Pipe {
  let reader: Int32
  let writer: Int32

  init() throws(Failure) {
    var ends: [Int32] = [-1, -1]
    // The kernel writes two numbers.
    guard unsafe pipe(&ends) == 0 else {
      throw Failure(call: "pipe")
    }
    reader = ends[0]
    writer = ends[1]
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  }
}
