import FoundationEssentials

#if canImport(Glibc)
  package import Glibc
#else
  package import Musl
#endif

/// Processes with their own session, environment and first descriptors.
///
/// The Example's tests have the folder of this file as a symbolic link.
package enum StartedProcess {
  package struct Failure: Error { let code: Int32 }

  /// Starts a program in a session of its own, with its first descriptors opened from paths.
  ///
  /// The first word is the program's path. The session has a terminal only if the files have one.
  package static func spawn(
    _ words: [String], environment: [String] = inheritedEnvironment,
    files: [(path: String, flags: Int32)]
  ) throws -> pid_t {
    // What `posix_spawn` takes is of this call alone.
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for (number, file) in files.enumerated() {
      // The first terminal that the leader of a session opens becomes its own.
      unsafe posix_spawn_file_actions_addopen(&actions, Int32(number), file.path, file.flags, 0o600)
    }
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    // The child would inherit the signals that a test's thread blocks or the test's parent ignores.
    var mask = sigset_t()
    unsafe sigemptyset(&mask)
    unsafe posix_spawnattr_setsigmask(&attributes, &mask)
    var defaults = mask
    for number in [
      SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGPIPE, SIGTSTP, SIGTTIN, SIGTTOU, SIGUSR1, SIGALRM,
    ] {
      unsafe sigaddset(&defaults, number)
    }
    unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
    // POSIX_SPAWN_SETSID, which the header shows only where _GNU_SOURCE is defined.
    let newSession: Int16 = 0x80
    unsafe posix_spawnattr_setflags(
      &attributes, newSession | Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    let arguments = unsafe words.map { unsafe strdup($0) } + [nil]
    let variables = unsafe environment.map { unsafe strdup($0) } + [nil]
    defer { unsafe (arguments + variables).forEach { unsafe free($0) } }
    var process: pid_t = 0
    let code = unsafe posix_spawn(&process, words[0], &actions, &attributes, arguments, variables)
    if code != 0 { throw Failure(code: code) }
    return process
  }

  /// This process's environment, but without the backtrace that Swift's runtime prints at SIGQUIT.
  package static var inheritedEnvironment: [String] {
    ProcessInfo.processInfo.environment.filter { $0.key != "SWIFT_BACKTRACE" }
      .map { "\($0.key)=\($0.value)" } + ["SWIFT_BACKTRACE=enable=no"]
  }

  /// Waits for a process's end, and returns its exit status, or its signal as a negative number.
  package static func wait(for process: pid_t) throws -> Int32 {
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) == -1 {
      if errno != EINTR { throw Failure(code: errno) }
    }
    return exitStatus(status)
  }

  /// Whether a process is stopped, as by SIGSTOP.
  static func isStopped(_ process: pid_t) throws -> Bool {
    let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    // The state follows the name, which is in parentheses: proc_pid_stat(5).
    return text.split(separator: ")").last?.hasPrefix(" T ") == true
  }

  /// The exit status in what `waitpid` gives, or the signal as a negative number.
  package static func exitStatus(_ status: Int32) -> Int32 {
    status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
  }
}
