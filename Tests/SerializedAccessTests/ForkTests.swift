import CLibrary
import Dispatch
import SerializedAccess
import TestSupport
import Testing

/// Children that are forked without `exec`, each from a process of its own.
@Suite(.forks) struct ForkTests {
  /// Nothing hangs, whether or not another thread was accessing the value.
  @Test func eachAccessEndsAForkedChild() async {
    await #expect(processExitsWith: .success) {
      let busy = BusyThreads()
      let values = busy.values + ConcurrencyTests.Queue.allCases.map { $0.wrap(1) }
      for _ in 0..<Campaign.size(sample: 1, full: 500) {
        for operation in ForkOperation.allCases {
          for value in values {
            let status = try ForkedChild(isQuiet: true) { operation.perform(on: value) }.end()
            if !isStopped(status) { fatalError("\(operation) ended with \(status)") }
          }
        }
      }
      busy.stop()
    }
  }

  @Test func forkedChildIsToldToUsePosixSpawn() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let value = Serialized(1)
      if !isStopped(try ForkedChild { value.wrappedValue += 1 }.end()) { _exit(1) }
    }
    #expect(message(of: result).contains("Start the child with posix_spawn"))
  }

  /// Neither waits, changes the value, or ends the process.
  @Test func valuesAreDescribedAndReleasedInAForkedChild() async {
    await #expect(processExitsWith: .success) {
      var values = ConcurrencyTests.Queue.allCases.map { $0.wrap(1) }
      let observation = values[0].observe { _, _ in }
      let sequence = values[1].values
      try whileAccessing(values[1]) {
        try ForkedChild {
          if values.map(\.description) != ["Serialized(in use)", "Serialized(in use)"] { _exit(1) }
          observation.cancel()
          values = [Serialized(3, customQueue: DispatchQueue(label: "another"))]
          values.removeAll()
        }.wait()
      }
      withExtendedLifetime(sequence) {}
    }
  }

  @Test func accessThatForksEndsInTheParentOnly() async {
    await #expect(processExitsWith: .success) {
      for queue in ConcurrencyTests.Queue.allCases { try forkInAccesses(to: queue.wrap([0])) }
    }
  }

  @Test func processForkedBeforeTheFirstUseIsNoForkedChild() async {
    await #expect(processExitsWith: .success) {
      try ForkedChild {
        let value = Serialized(1)
        value.wrappedValue += 1
        if value.wrappedValue != 2 { _exit(1) }
        // Its own child is one.
        if !isStopped(try ForkedChild(isQuiet: true) { value.wrappedValue += 1 }.end()) { _exit(2) }
      }.wait()
    }
  }
}

/// Forks in an access of each kind; throws unless each child is stopped when it ends the access.
private func forkInAccesses(to value: Serialized<[Int]>) throws {
  let parent = getpid()
  let children = Serialized([ForkedChild]())
  @Sendable func fork() {
    if let child = try? ForkedChild.fork() {
      children.wrappedValue.append(child)
    } else {
      unsafe dup2(open("/dev/null", O_WRONLY), STDERR_FILENO)
    }
  }
  @Sendable func requireParent() { if getpid() != parent { _exit(0) } }

  value.wrappedValue.change { fork() }
  requireParent()
  value.access { _ in fork() }
  requireParent()
  value.asyncAccess { _ in fork() }
  // Scheduled before the first one ends, or after: it does not run in the child.
  value.asyncAccess { _ in requireParent() }
  try #require(value.wrappedValue == [0, 3])
  requireParent()
  try #require(children.wrappedValue.count == 3)
  for child in children.wrappedValue { try #require(isStopped(child.end())) }
}

/// Whether a child ended itself with a message.
private func isStopped(_ status: Int32) -> Bool { [SIGILL, SIGTRAP].contains(status & 0x7F) }

extension [Int] {
  fileprivate mutating func change(_ body: () throws -> Void) rethrows {
    try body()
    append(3)
  }
}
