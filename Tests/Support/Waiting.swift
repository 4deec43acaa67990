import CLibrary

/// A child of this process.
package protocol Child: Sendable {
  /// Whether the child has ended; its status stays available.
  var hasEnded: Bool { get }
  /// Waits until the child has ended, and returns its status as `waitpid` gives it.
  @discardableResult func end() -> Int32
}

extension Child {
  /// Waits until the child has ended, and throws unless it succeeded.
  package func wait() throws {
    let status = end()
    if status != 0 { throw ChildFailure(status: status) }
  }
}

/// A child's unsuccessful status, as `waitpid` gives it, or why there is no child.
package struct ChildFailure: Error { package let status: Int32 }

/// Waits until a condition outside the process is true.
///
/// There is no limit of time, which a busy machine would reach: the run of the tests has one. If a
/// child is named, the end of that child before the condition is true is an error.
package func wait(for child: (any Child)? = nil, until isTrue: () throws -> Bool) throws {
  while true {
    let hasEnded = child?.hasEnded ?? false
    if try isTrue() { return }
    if hasEnded, let child { throw ChildFailure(status: child.end()) }
    usleep(1000)
  }
}

/// Waits in the same way, without blocking the thread.
package func suspend(until isTrue: () throws -> Bool) async throws {
  while try !isTrue() { try await Task.sleep(for: .milliseconds(1)) }
}
