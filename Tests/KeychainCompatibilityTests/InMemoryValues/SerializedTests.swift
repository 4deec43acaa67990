import Concurrency
import Dispatch
import KeychainCompatibility
import TestSupport
import Testing

/// Values shared by threads, with the older wrapper.
#if true  // Hides the attribute from Swift Testing, which takes no deprecated suite.
  @available(*, deprecated)
#endif
struct SerializedTests {
  private struct Counter {
    @Serialized var number: Int
  }

  private final class Reference {
    var number = 0
  }

  @Test func memberwiseInitializerTakesTheValue() {
    let counter = Counter(number: 15)
    #expect(counter.number == 15)
    counter.number = 30
    #expect(counter.number == 30)
  }

  @Test func labeledQueueSerializesAccesses() {
    @Serialized var number: Int = 20
    @Serialized(customQueue: "my.queue.identifier") var otherNumber: Int = 30
    _number.asyncAccess { current -> Int in
      var someAggregator = current
      for _ in 0...10 {
        someAggregator += current
      }
      return someAggregator
    }
    otherNumber += number
    #expect(number == 240 && otherNumber == 270)
  }

  @Test func accessesAndObserversRunOnTheGivenQueue() {
    let queue = DispatchQueue(label: "own")
    @Serialized(customQueue: queue) var number = 1
    let heard = Lock([Int]())
    _number.didSet = { value in
      dispatchPrecondition(condition: .onQueue(queue))
      heard.withLock { $0.append(value) }
    }
    number = 2
    number += 1
    _number.asyncAccess { current in
      dispatchPrecondition(condition: .onQueue(queue))
      return current * 2
    }
    #expect(number == 6)
    #expect(heard.withLock { $0 } == [2, 3, 6])
  }

  @Test func didSetIsCalledUntilItIsReplaced() {
    @Serialized var number = 0
    var heard: [Int] = []
    #expect(_number.didSet == nil)
    _number.didSet = { heard.append($0) }
    #expect(_number.didSet != nil)
    number = 1
    number += 1
    _number.asyncAccess { $0 + 1 }
    #expect(number == 3)
    #expect(heard == [1, 2, 3])
    _number.didSet = { heard.append(-$0) }
    number = 4
    _number.didSet = nil
    number = 5
    #expect(heard == [1, 2, 3, -4])
    #expect(_number.didSet == nil)
  }

  @Test func changeInPlaceIsOneAccess() {
    let counter = Counter(number: 0)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<1000 { counter.number += 1 }
    }
    #expect(counter.number == 8000)
  }

  @Test func didSetIsReplacedDuringChanges() {
    let counter = ObservedCounter()
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for _ in 0..<500 {
        if thread == 0 { counter.observe() } else { counter.increment() }
      }
    }
    #expect(counter.number == 1500)
  }

  @Test func valueNeedNotBeSendable() {
    @Serialized var reference = Reference()
    _reference.asyncAccess { reference in
      reference.number += 1
      return reference
    }
    #expect(reference.number == 1)
  }
}

@available(*, deprecated)
private struct ObservedCounter: Sendable {
  @Serialized var number = 0

  func observe() { _number.didSet = { _ in } }
  func increment() { number += 1 }
}
