import Concurrency
import Dispatch
import KeychainCompatibility
import Testing

/// Values in memory that are shared by threads or observed, with the older wrappers.
#if true  // Hides the attribute from Swift Testing, which takes no deprecated suite.
  @available(*, deprecated)
#endif
struct InMemoryValueTests {
  private final class Reference { var number = 0 }

  @Test func labeledQueueSerializesAccesses() {
    @Serialized var number: Int = 20
    @Serialized(customQueue: "my.queue.identifier") var otherNumber: Int = 30
    _number.asyncAccess { current -> Int in
      var someAggregator = current
      for _ in 0...10 { someAggregator += current }
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

  @Test func didSetIsReplacedDuringChangesInPlace() {
    let counter = ObservedCounter(number: 0)
    DispatchQueue.concurrentPerform(iterations: 9) { thread in
      for _ in 0..<1000 {
        if thread == 0 { counter.observe() } else { counter.increment() }
      }
    }
    #expect(counter.number == 8000)
  }

  @Test func valueNeedNotBeSendable() {
    @Serialized var reference = Reference()
    _reference.asyncAccess { reference in
      reference.number += 1
      return reference
    }
    #expect(reference.number == 1)
  }

  private final class Subject {
    @StoredSubject var number = 0

    func observe(_ closure: @escaping (Int) -> Void) -> any Disposable { _number.observe(closure) }

    func observe(_ closure: @escaping (Int, Int) -> Void) -> any Disposable {
      _number.observe(closure)
    }
  }

  private let subject = Subject()

  @Test func observersGetOldAndNewValuesInOrder() {
    var heard: [String] = []
    let bag = DisposeBag()
    subject.observe { old, new in heard.append("first \(old) \(new)") }.dispose(in: bag)
    subject.observe { value in heard.append("second \(value)") }.dispose(in: bag)
    #expect(heard.isEmpty)
    subject.number = 1
    subject.number += 1
    #expect(heard == ["first 0 1", "second 1", "first 1 2", "second 2"])
  }

  @Test func observationEndsWithItsBagOrRelease() {
    var heard: [String] = []
    var bag = DisposeBag()
    subject.observe { value in heard.append("bag \(value)") }.dispose(in: bag)
    var observation: (any Disposable)? = subject.observe { value in heard.append("own \(value)") }
    subject.number = 1
    #expect(observation != nil)
    observation = nil
    subject.number = 2
    bag = DisposeBag()
    subject.number = 3
    #expect(heard == ["bag 1", "own 1", "bag 2"])
    _ = bag
  }

  @Test func observerThatSetsTheValueNestsTheCalls() {
    var heard: [String] = []
    let bag = DisposeBag()
    subject.observe { [unowned subject] value in if value < 3 { subject.number = value + 1 } }
      .dispose(in: bag)
    subject.observe { old, new in heard.append("\(old) \(new)") }.dispose(in: bag)
    subject.number = 1
    #expect(heard == ["2 3", "1 3", "0 3"])
    #expect(subject.number == 3)
  }

  @Test func observerEndedByAnotherIsNotCalled() {
    var bag: DisposeBag? = DisposeBag()
    let own = DisposeBag()
    var heard: [Int] = []
    subject.observe { _ in bag = nil }.dispose(in: own)
    if let bag { subject.observe { value in heard.append(value) }.dispose(in: bag) }
    subject.number = 1
    #expect(heard.isEmpty && bag == nil)
  }

  @Test func observationDoesNotRetainTheSubject() {
    var subject: StoredSubject<Int>? = StoredSubject(wrappedValue: 0)
    weak let released = subject
    let observation = subject?.observe { _ in }
    subject = nil
    #expect(released == nil)
    _ = observation
  }

  @Test func observersOfTheEndAreCalledLast() {
    let subject = StoredSubject(wrappedValue: 0)
    var heard: [String] = []
    var end: (any Disposable)? = subject.observeEndOfUpdates { heard.append("end \($0) \($1)") }
    let bag = DisposeBag()
    subject.observe { heard.append("first \($0) \($1)") }.dispose(in: bag)
    subject.observe { heard.append("second \($0) \($1)") }.dispose(in: bag)
    subject.wrappedValue = 1
    #expect(heard == ["first 0 1", "second 0 1", "end 0 1"])
    #expect(end != nil)
    end = nil
    subject.wrappedValue = 2
    #expect(heard.suffix(2) == ["first 1 2", "second 1 2"] && heard.count == 5)
  }
}

@available(*, deprecated)
private struct ObservedCounter: Sendable {
  @Serialized var number: Int

  func observe() { _number.didSet = { _ in } }
  func increment() { number += 1 }
}
