import CLibrary

/// Waits until a condition outside the process is true.
///
/// There is no limit of time, which a busy machine would reach: the run of the tests has one. If a
/// child is named, the end of that child before the condition is true is an error.
package func wait(for child: ChildProcess? = nil, until isTrue: () throws -> Bool) throws {
  while true {
    let hasEnded = child?.hasEnded ?? false
    if try isTrue() { return }
    if hasEnded, let child { throw ChildProcess.Failure(status: child.end()) }
    usleep(1000)
  }
}

/// Waits in the same way, without blocking the thread.
package func suspend(until isTrue: () throws -> Bool) async throws {
  while try !isTrue() { try await Task.sleep(for: .milliseconds(1)) }
}
