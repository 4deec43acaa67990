import CLibrary
import Dispatch
import TestSupport
import Testing

@testable import SerializedAccess

/// The order of accesses without a custom queue, whose own order is tested with Dispatch.
struct FairnessTests {
  enum Operation: CaseIterable, Sendable {
    case get, set, changeInPlace, access, asyncAccess, observe

    /// Performs the operation on a value that another access changes from 0 to 5.
    ///
    /// Returns a closure that tells, after both, whether the operation was first.
    func run(on value: Serialized<Int>) -> @Sendable () -> Bool {
      switch self {
      case .get:
        let seen = value.wrappedValue
        return { seen == 0 }
      case .set: value.wrappedValue = 1
      case .changeInPlace: value.wrappedValue += 1
      case .access: value.access { $0 += 1 }
      case .asyncAccess: value.asyncAccess { $0 += 1 }
      case .observe:
        let seen = Serialized([Int]())
        let observation = value.observe { seen.wrappedValue += [$0, $1] }
        return {
          observation.cancel()
          return seen.wrappedValue == [0, 5]
        }
      }
      return { value.wrappedValue == 5 }
    }
  }

  /// Performs `first` on a thread that starves in the queue in an access, and `second` right after.
  private func starve(
    _ value: Serialized<Int>, _ first: @escaping @Sendable () -> Void,
    inAccess: @escaping @Sendable () -> Void = {}, then second: @escaping @Sendable () -> Void
  ) throws {
    let isHeld = DispatchSemaphore(value: 0)
    onThreads(2) { thread in
      if thread == 0 {
        value.access { _ in
          isHeld.signal()
          while !value.lock.hasStarving || !value.lock.hasQueued { usleep(100) }
          inAccess()
        }
        second()
      } else {
        isHeld.wait()
        first()
      }
    }
    try wait { !value.lock.hasStarving }
  }

  /// Beginning to observe is no access, and waits only for the one in progress.
  private static let cases =
    Operation.allCases.map { ($0, true) }
    + Operation.allCases.filter { $0 != .observe }.map { ($0, false) }

  @Test(arguments: cases)
  func starvingThreadIsNotOvertaken(operation: Operation, isStarving: Bool) throws {
    let value = Serialized(0)
    let isFirst = Serialized<(@Sendable () -> Bool)?>(nil)
    let operate: @Sendable () -> Void = { isFirst.wrappedValue = operation.run(on: value) }
    let assign: @Sendable () -> Void = { value.access { $0 = 5 } }
    try starve(value, isStarving ? operate : assign, then: isStarving ? assign : operate)
    #expect(isFirst.wrappedValue?() == isStarving)
  }

  @Test func scheduledAccessesDoNotOvertakeWaitingThread() throws {
    let value = Serialized(0)
    let before = Serialized(-1)
    try starve(value) {
      before.wrappedValue = value.wrappedValue
    } inAccess: {
      for _ in 0..<1_000 { value.asyncAccess { $0 += 1 } }
    } then: {
    }
    #expect(before.wrappedValue == 0)
    #expect(value.wrappedValue == 1_000)
  }
}
