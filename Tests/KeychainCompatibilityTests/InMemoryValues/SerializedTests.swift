import Concurrency
import Dispatch
import KeychainCompatibility
import TestSupport
import Testing

/// Values shared by threads, with the older wrapper.
struct SerializedTests: DeprecatedUse {
  enum Fact: CaseIterable, Sendable {
    case memberwiseInitializerTakesTheValue
    case queueMayHaveALabel
    case everythingRunsOnTheQueueThatIsGiven
    case didSetHearsEveryChangeUntilItIsReplaced
    case changesInPlaceAreOneAccess
    case observersAreReplacedWhileOthersChange
    case valueNeedNotBeSendable
  }

  @Test(arguments: Fact.allCases)
  func holds(_ fact: Fact) throws { try check(fact) }
}

@available(*, deprecated)
extension SerializedTests {
  func verify(_ fact: Fact) throws {
    switch fact {
    case .memberwiseInitializerTakesTheValue: memberwiseInitializerTakesTheValue()
    case .queueMayHaveALabel: queueMayHaveALabel()
    case .everythingRunsOnTheQueueThatIsGiven: everythingRunsOnTheQueueThatIsGiven()
    case .didSetHearsEveryChangeUntilItIsReplaced: didSetHearsEveryChangeUntilItIsReplaced()
    case .changesInPlaceAreOneAccess: changesInPlaceAreOneAccess()
    case .observersAreReplacedWhileOthersChange: observersAreReplacedWhileOthersChange()
    case .valueNeedNotBeSendable: valueNeedNotBeSendable()
    }
  }

  private struct Counter {
    @Serialized var number: Int
  }

  private final class Reference {
    var number = 0
  }

  private func memberwiseInitializerTakesTheValue() {
    let counter = Counter(number: 15)
    #expect(counter.number == 15)
    counter.number = 30
    #expect(counter.number == 30)
  }

  private func queueMayHaveALabel() {
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

  private func everythingRunsOnTheQueueThatIsGiven() {
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

  private func didSetHearsEveryChangeUntilItIsReplaced() {
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

  private func changesInPlaceAreOneAccess() {
    let counter = Counter(number: 0)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<1000 { counter.number += 1 }
    }
    #expect(counter.number == 8000)
  }

  private func observersAreReplacedWhileOthersChange() {
    let counter = ObservedCounter()
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for _ in 0..<500 {
        if thread == 0 { counter.observe() } else { counter.increment() }
      }
    }
    #expect(counter.number == 1500)
  }

  private func valueNeedNotBeSendable() {
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
