#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// Runs this program a second time.
enum OwnProcess {
  /// Waits until the process ended well, and returns the first line that it wrote.
  static func run(_ arguments: [String]) throws(Failure) -> String {
    let pipe = try Pipe()
    defer { close(pipe.reader) }
    let process = try spawn(arguments, writingTo: pipe)
    var output: [UInt8] = []
    var byte: UInt8 = 0
    // These calls write into variables of this one.
    while unsafe read(pipe.reader, &byte, 1) == 1 { output.append(byte) }
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) == -1 {
      if errno != EINTR { throw failure("waitpid") }
    }
    guard status == 0 else { throw Failure("The second process did not end well.") }
    return String(decoding: output.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }

  private static func spawn(_ arguments: [String], writingTo pipe: Pipe) throws(Failure) -> pid_t {
    defer { close(pipe.writer) }
    // The C structure is of this call alone.
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, pipe.writer, STDOUT_FILENO)
    // Each is a copy of its own, freed below, as the call wants them.
    let words = unsafe (["Example"] + arguments).map { unsafe strdup($0) } + [nil]
    defer { unsafe words.forEach { unsafe free($0) } }
    var process: pid_t = 0
    let result = unsafe posix_spawn(
      &process, "/proc/self/exe", &actions, nil, words, environ)
    errno = result
    guard result == 0 else { throw failure("posix_spawn") }
    return process
  }

  private static func failure(_ call: String) -> Failure {
    Failure("\(call) of the second process failed: \(SystemCall.reason).")
  }
}
