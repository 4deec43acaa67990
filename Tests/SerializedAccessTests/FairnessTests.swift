import CLibrary
import Dispatch
import SerializedAccess
import TestSupport
import Testing

struct FairnessTests {
  enum Operation: CaseIterable, Sendable {
    case get, set, changeInPlace, access, asyncAccess, observe

    func run(on value: Serialized<Int>) {
      switch self {
      case .get: _ = value.wrappedValue
      case .set: value.wrappedValue = 1
      case .changeInPlace: value.wrappedValue += 1
      case .access: value.access { $0 += 1 }
      case .asyncAccess:
        let isDone = DispatchSemaphore(value: 0)
        value.asyncAccess { _ in isDone.signal() }
        isDone.wait()
      case .observe: value.observe { _, _ in }.cancel()
      }
    }

    /// Makes one of the accesses that the other thread makes without a pause.
    func hold(_ value: Serialized<Int>, _ body: () -> Void) {
      if self == .changeInPlace {
        value.wrappedValue.run(body)
      } else {
        value.access { _ in body() }
      }
    }
  }

  /// Each wait lasts a millisecond, plus the time of the accesses under way.
  @Test(arguments: Operation.allCases, ConcurrencyTests.Queue.allCases)
  func continuousAccessesDoNotStarveAnotherThread(
    operation: Operation, queue: ConcurrencyTests.Queue
  ) {
    let value = queue.wrap(0)
    let waits = 10
    let limit = 15 * waits
    let overtaking = Serialized(0)
    let isOver = Serialized(false)
    onThreads(2) { thread in
      if thread == 0 {
        while !isOver.wrappedValue, overtaking.wrappedValue < limit {
          operation.hold(value) {
            overtaking.wrappedValue += 1
            usleep(1_000)
          }
        }
      } else {
        while overtaking.wrappedValue == 0 {}
        for _ in 0..<waits { operation.run(on: value) }
        isOver.wrappedValue = true
      }
    }
    #expect(overtaking.wrappedValue < limit)
  }

  /// With a mutex alone, the thread was overtaken 96 times out of 100.
  @Test(arguments: [Operation.set, .changeInPlace, .access], ConcurrencyTests.Queue.allCases)
  func starvingThreadIsNotOvertaken(
    operation: Operation, queue: ConcurrencyTests.Queue
  ) throws {
    for _ in 0..<Campaign.size(sample: 10, full: 100) {
      let value = queue.wrap(0)
      let asking = Serialized<String?>(nil)
      let isOvertaken = Serialized(false)
      onThreads(2) { thread in
        if thread == 0 {
          value.access { _ in waitUntilBlocked(asking) }
          value.access { number in isOvertaken.wrappedValue = number == 0 }
        } else {
          asking.wrappedValue = pathOfThisThread()
          operation.run(on: value)
        }
      }
      #expect(!isOvertaken.wrappedValue)
    }
  }

  @Test func threadsCountAsStarvingOnlyWhileWaiting() {
    let value = Serialized(0)
    onThreads(8) { _ in
      for _ in 0..<5 { value.access { _ = ($0, usleep(2_000)) } }
    }
    // No thread is left waiting, so the next access takes the fast path again.
    onThreads(8) { _ in
      for _ in 0..<12_500 { value.wrappedValue += 1 }
    }
    #expect(value.wrappedValue == 100_000)
  }

  /// Accesses scheduled while threads wait come after those, regardless of their number.
  @Test func scheduledAccessesDoNotOvertakeWaitingThread() {
    let value = Serialized(0)
    let asking = Serialized<String?>(nil)
    let before = Serialized(-1)
    onThreads(2) { thread in
      if thread == 0 {
        value.access { _ in
          waitUntilBlocked(asking)
          for _ in 0..<1_000 { value.asyncAccess { $0 += 1 } }
        }
      } else {
        asking.wrappedValue = pathOfThisThread()
        before.wrappedValue = value.wrappedValue
      }
    }
    #expect(before.wrappedValue == 0)
    #expect(value.wrappedValue == 1_000)
  }
}

/// The kernel's directory for the calling thread.
private func pathOfThisThread() -> String? {
  // Allocated by the call.
  guard let path = unsafe realpath("/proc/thread-self", nil) else { return nil }
  defer { unsafe free(path) }
  return unsafe String(cString: path)
}

/// Waits until a thread has slept longer than the time after which it cannot be overtaken.
private func waitUntilBlocked(_ thread: Serialized<String?>) {
  var sleeps = 0
  while sleeps < 2 {
    usleep(10_000)
    guard let path = thread.wrappedValue, let file = unsafe fopen("\(path)/stat", "r") else {
      continue
    }
    // The state follows the name in parentheses.
    var byte = unsafe fgetc(file)
    while byte != EOF, byte != 0x29 { byte = unsafe fgetc(file) }
    _ = unsafe fgetc(file)
    sleeps = unsafe fgetc(file) == 0x53 ? sleeps + 1 : 0
    unsafe fclose(file)
  }
}

extension Int {
  fileprivate mutating func run(_ body: () -> Void) { body() }
}
