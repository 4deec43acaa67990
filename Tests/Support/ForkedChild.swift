package import CLibrary

/// A child that is forked without `exec`: a copy of this process with one thread.
package struct ForkedChild: Child {
  package let identifier: pid_t

  private init(identifier: pid_t) { self.identifier = identifier }

  /// Forks, runs a closure in the child, and ends the child there without exit handlers.
  ///
  /// Drops a quiet child's standard error: the messages of many would fill a pipe, and block them.
  package init(isQuiet: Bool = false, _ body: () throws -> Void) throws {
    guard let child = try Self.fork() else {
      if isQuiet { unsafe dup2(open("/dev/null", O_WRONLY), STDERR_FILENO) }
      do { try body() } catch { _exit(1) }
      _exit(0)
    }
    self = child
  }

  /// Forks; returns nil in the child, which continues from here.
  package static func fork() throws -> ForkedChild? {
    // Swift's overlay of the C library hides `fork`, whose prototype is `pid_t fork(void)`.
    typealias Fork = @convention(c) () -> pid_t
    let address = unsafe dlsym(nil, "fork")!
    let child = unsafe unsafeBitCast(address, to: Fork.self)()
    if child == -1 { throw ChildFailure(status: errno) }
    return child == 0 ? nil : ForkedChild(identifier: child)
  }

  package func kill() {
    // The method of the same name hides the call.
    _ = CLibrary.kill(identifier, SIGKILL)
    _ = end()
  }

  package var hasEnded: Bool {
    // The kernel fills the structure, and only if the child has ended.
    var information = unsafe siginfo_t()
    return unsafe waitid(
      P_PID, id_t(identifier), &information, WEXITED | WNOHANG | WNOWAIT) == 0
      && information.si_signo == SIGCHLD
  }

  package func end() -> Int32 { endedStatus(of: identifier) }
}

/// Waits until a child has ended, and returns its status as `waitpid` gives it.
func endedStatus(of child: pid_t) -> Int32 {
  var status: Int32 = 0
  // The status is written before the call returns.
  while unsafe waitpid(child, &status, 0) == -1, errno == EINTR {}
  return status
}
