#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// Processes that a test starts.
enum Child {
  enum Status: Equatable {
    case exited(Int32)
    case killed(by: Int32)

    init(_ status: Int32) {
      self = status & 0x7f == 0 ? .exited(status >> 8 & 0xff) : .killed(by: status & 0x7f)
    }
  }

  /// Starts a program in a session of its own, its first descriptors opened from paths.
  ///
  /// Without a terminal among them, the session has none.
  static func spawn(
    _ words: [String], environment: [String], files: [(path: String, flags: Int32)]
  ) throws -> pid_t {
    // The C structures are of this call alone.
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for (number, file) in files.enumerated() {
      unsafe posix_spawn_file_actions_addopen(
        &actions, Int32(number), file.path, file.flags, 0o600)
    }
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    // The threads of a test's pool block signals, and its caller may ignore some, which the child
    // would inherit.
    var mask = sigset_t()
    unsafe sigemptyset(&mask)
    unsafe posix_spawnattr_setsigmask(&attributes, &mask)
    var defaults = mask
    for number in [SIGINT, SIGPIPE] { unsafe sigaddset(&defaults, number) }
    unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
    // POSIX_SPAWN_SETSID, which the header shows only to those who define _GNU_SOURCE.
    let newSession: Int16 = 0x80
    unsafe posix_spawnattr_setflags(
      &attributes, newSession | Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    let arguments = unsafe words.map { unsafe strdup($0) } + [nil]
    let variables = unsafe environment.map { unsafe strdup($0) } + [nil]
    defer { unsafe (arguments + variables).forEach { unsafe free($0) } }
    var process: pid_t = 0
    let code = unsafe posix_spawn(
      &process, words[0], &actions, &attributes, arguments, variables)
    guard code == 0 else { throw Unexpected(what: "posix_spawn of \(words[0]): errno \(code)") }
    return process
  }

  static func wait(for process: pid_t) throws -> Status {
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) == -1 {
      if errno != EINTR { throw Unexpected(what: "waitpid: errno \(errno)") }
    }
    return Status(status)
  }

  /// How a process ended, or nil while it has not.
  static func statusIfEnded(_ process: pid_t) throws -> Status? {
    var status: Int32 = 0
    let found = unsafe waitpid(process, &status, WNOHANG)
    if found == -1 { throw Unexpected(what: "waitpid: errno \(errno)") }
    return found == 0 ? nil : Status(status)
  }
}
