package import CLibrary
import Concurrency
import FoundationEssentials
import StorageInternals

/// Another process, its standard output appended to a file if one is named.
package final class ChildProcess: Child {
  package let identifier: pid_t
  private let status = Lock(Int32?.none)

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
    if code != 0 { throw ChildFailure(status: code) }
    identifier = child
  }

  /// Takes a process that was started in another way.
  package init(_ identifier: pid_t) { self.identifier = identifier }

  /// Runs an executable of this package, which is built into the same directory as the tests.
  package convenience init(executable: String, _ arguments: [String], output: String) throws {
    try self.init(Self.path(ofExecutable: executable), arguments, output: output)
  }

  /// The path of an executable of this package, optimized if LOCKET_PROCESSES names its directory.
  package static func path(ofExecutable name: String) throws -> String {
    if let directory = ProcessInfo.processInfo.environment["LOCKET_PROCESSES"] {
      return "\(directory)/\(name)"
    }
    return "\(try FileSystem().linkTarget(of: "/proc/self/exe").parentDirectory)/\(name)"
  }

  /// A child without a `waitpid` would keep exit tests of other suites from ever ending.
  deinit {
    stop()
    end()
  }

  package func stop() { signal(SIGKILL) }

  package func signal(_ number: Int32) {
    status.withLock { if $0 == nil { _ = kill(identifier, number) } }
  }

  package var hasEnded: Bool {
    status.withLock { known in
      if known != nil { return true }
      var status: Int32 = 0
      guard unsafe waitpid(identifier, &status, WNOHANG) == identifier else { return false }
      known = status
      return true
    }
  }

  @discardableResult
  package func end() -> Int32 {
    status.withLock { known in
      if let known { return known }
      let status = endedStatus(of: identifier)
      known = status
      return status
    }
  }
}

extension PseudoTerminal {
  /// Starts an executable of this package.
  package convenience init(executable: String, _ arguments: [String]) throws {
    try self.init([try ChildProcess.path(ofExecutable: executable)] + arguments)
  }
}
