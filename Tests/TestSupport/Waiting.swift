#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// Waits until something outside of the process has come true; throws after a time that only a
/// failure takes.
package func wait(until isTrue: () throws -> Bool) throws {
  let end = ContinuousClock.now.advanced(by: .seconds(900))
  while try !isTrue() {
    if ContinuousClock.now > end { throw WaitedInVain() }
    usleep(1000)
  }
}

/// Waits in the same way, and leaves the thread to other tasks meanwhile.
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
