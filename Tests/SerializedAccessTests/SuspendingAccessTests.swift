import Dispatch
import SerializedAccess
import Testing

struct SuspendingAccessTests {
  private struct Refused: Error {}

  @Test func accessRethrowsTheErrorOfTheClosure() async {
    let number = Serialized(0)
    await #expect(throws: Refused.self) {
      try await number.access { number in
        number = 1
        throw Refused()
      }
    }
    #expect(number.wrappedValue == 1)
  }

  @Test func accessFollowsScheduledAccesses() async throws {
    let numbers = Serialized([Int]())
    for number in 0..<100 { numbers.asyncAccess { $0.append(number) } }
    #expect(try await numbers.access { $0.popLast() } == 99)
    #expect(numbers.wrappedValue.count == 99)
  }

  @Test func cancelledTaskNeverBegins() async {
    let number = Serialized(0)
    let task = Task {
      // The reference is not used after the closure.
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      try await number.access { $0 = 1 }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(number.wrappedValue == 0)
  }

  @Test(arguments: ConcurrencyTests.Queue.allCases)
  func cancellingWhileQueuedEndsTheWait(queue: ConcurrencyTests.Queue) async {
    let number = queue.wrap(0)
    let changes = Serialized(0)
    let observation = number.observe { _, _ in changes.wrappedValue += 1 }
    let gate = DispatchSemaphore(value: 0)
    number.asyncAccess { _ in gate.wait() }
    // Immediate: when this returns, the task is suspended in its access.
    let task = Task.immediate { try await number.access { $0 = 1 } }
    task.cancel()
    // The gate is still closed, so only the cancellation can resume the task.
    await #expect(throws: CancellationError.self) { try await task.value }
    gate.signal()
    #expect(number.wrappedValue == 0)
    #expect(changes.wrappedValue == 1)
    observation.cancel()
  }

  @Test func cancellingDoesNotStopAccessInProgress() async throws {
    let number = Serialized(0)
    let gate = DispatchSemaphore(value: 0)
    let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
    let task = Task.immediate {
      try await number.access { number in
        continuation.yield()
        gate.wait()
        number = 1
        return "done"
      }
    }
    var beginnings = begun.makeAsyncIterator()
    await beginnings.next()
    task.cancel()
    gate.signal()
    #expect(try await task.value == "done")
    #expect(number.wrappedValue == 1)
  }
}
