import CLibrary

/// Waits until a condition outside the process is true; throws after a time that only a failure
/// takes.
package func wait(until isTrue: () throws -> Bool) throws {
  let end = ContinuousClock.now.advanced(by: .seconds(900))
  while try !isTrue() {
    if ContinuousClock.now > end { throw WaitedInVain() }
    usleep(1000)
  }
}

/// Waits in the same way, without blocking the thread.
package func suspend(until isTrue: () throws -> Bool) async throws {
  let end = ContinuousClock.now.advanced(by: .seconds(900))
  while try !isTrue() {
    if ContinuousClock.now > end { throw WaitedInVain() }
    try await Task.sleep(for: .milliseconds(1))
  }
}

package struct WaitedInVain: Error {
  package init() {}
}
