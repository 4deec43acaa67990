import KeychainCompatibility
import TestSupport
import Testing

#if true  // Hides the attribute from Swift Testing, which takes no deprecated suite.
  @available(*, deprecated)
#endif
struct StoredSubjectTests {
  private final class Counter {
    @StoredSubject var number = 0

    func observe(_ closure: @escaping (Int) -> Void) -> any Disposable { _number.observe(closure) }

    func observe(_ closure: @escaping (Int, Int) -> Void) -> any Disposable {
      _number.observe(closure)
    }
  }

  @Test func observersGetOldAndNewValuesInOrder() {
    let counter = Counter()
    var heard: [String] = []
    let bag = DisposeBag()
    counter.observe { old, new in heard.append("first \(old) \(new)") }.dispose(in: bag)
    counter.observe { value in heard.append("second \(value)") }.dispose(in: bag)
    #expect(heard.isEmpty)
    counter.number = 1
    counter.number += 1
    #expect(heard == ["first 0 1", "second 1", "first 1 2", "second 2"])
  }

  @Test func observationEndsWithItsBagOrRelease() {
    let counter = Counter()
    var heard: [String] = []
    var bag = DisposeBag()
    counter.observe { value in heard.append("bag \(value)") }.dispose(in: bag)
    var observation: (any Disposable)? = counter.observe { value in heard.append("own \(value)") }
    counter.number = 1
    #expect(observation != nil)
    observation = nil
    counter.number = 2
    bag = DisposeBag()
    counter.number = 3
    #expect(heard == ["bag 1", "own 1", "bag 2"])
    _ = bag
  }

  @Test func observerThatSetsTheValueNestsTheCalls() {
    let counter = Counter()
    var heard: [String] = []
    let bag = DisposeBag()
    counter.observe { [unowned counter] value in if value < 3 { counter.number = value + 1 } }
      .dispose(in: bag)
    counter.observe { old, new in heard.append("\(old) \(new)") }.dispose(in: bag)
    counter.number = 1
    #expect(heard == ["2 3", "1 3", "0 3"])
    #expect(counter.number == 3)
  }

  @Test func observerEndedByAnotherIsNotCalled() {
    let counter = Counter()
    var bag: DisposeBag? = DisposeBag()
    let own = DisposeBag()
    var heard: [Int] = []
    counter.observe { _ in bag = nil }.dispose(in: own)
    if let bag { counter.observe { value in heard.append(value) }.dispose(in: bag) }
    counter.number = 1
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
