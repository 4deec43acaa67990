import StorageInternals

#if canImport(Glibc)
  package import Glibc
#else
  package import Musl
#endif

/// Another process, its standard output appended to a file if one is named.
package final class ChildProcess: Sendable {
  package let identifier: pid_t
  private let status = Lock(Int32?.none)

  /// Why a child did not do its work.
  package struct Failure: Error {
    package let status: Int32
  }

  package init(_ executable: String, _ arguments: [String], output: String? = nil) throws {
    // What `posix_spawn` takes is allocated here, and freed when it has returned.
    var words = unsafe ([executable] + arguments).map { unsafe strdup($0) } + [nil]
    defer { unsafe words.forEach { unsafe free($0) } }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    if let output {
      unsafe posix_spawn_file_actions_addopen(
        &actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    }
    var child: pid_t = 0
    let code = unsafe posix_spawn(&child, executable, &actions, nil, &words, environ)
    if code != 0 { throw Failure(status: code) }
    identifier = child
  }

  /// A child that nobody waits for would keep exit tests of other suites from ever ending.
  deinit {
    stop()
    end()
  }

  /// Stops the process at whatever it is doing.
  package func stop() {
    signal(SIGKILL)
  }

  package func signal(_ number: Int32) {
    status.withLock { if $0 == nil { _ = kill(identifier, number) } }
  }

  /// Waits until the process ended, and throws unless it ended well.
  package func wait() throws {
    let status = end()
    if status != 0 { throw Failure(status: status) }
  }

  /// Whether the process ended, for those who must not wait for ever.
  package var hasEnded: Bool {
    status.withLock { known in
      if known != nil { return true }
      var status: Int32 = 0
      guard unsafe waitpid(identifier, &status, WNOHANG) == identifier else { return false }
      known = status
      return true
    }
  }

  /// Waits until the process ended, and returns its status as `waitpid` gives it.
  @discardableResult
  package func end() -> Int32 {
    status.withLock { known in
      if let known { return known }
      var status: Int32 = 0
      while unsafe waitpid(identifier, &status, 0) == -1, errno == EINTR {}
      known = status
      return status
    }
  }
}
