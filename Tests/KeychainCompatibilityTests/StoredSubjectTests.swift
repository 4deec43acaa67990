import KeychainCompatibility
import Testing

@available(*, deprecated)
final class StoredSubjectTests {
  @StoredSubject var number = 0

  @Test func observersAreToldOfTheOldAndTheNewValueInTheirOrder() {
    var heard: [String] = []
    let bag = DisposeBag()
    _number.observe { old, new in heard.append("first \(old) \(new)") }.dispose(in: bag)
    _number.observe { value in heard.append("second \(value)") }.dispose(in: bag)
    #expect(heard.isEmpty)
    number = 1
    number += 1
    #expect(heard == ["first 0 1", "second 1", "first 1 2", "second 2"])
  }

  @Test func observationEndsWithTheBag() {
    var heard: [Int] = []
    var bag = DisposeBag()
    _number.observe { value in heard.append(value) }.dispose(in: bag)
    number = 1
    bag = DisposeBag()
    number = 2
    #expect(heard == [1])
    _ = bag
  }

  @Test func observationEndsWhenItIsReleased() {
    var heard: [Int] = []
    var observation: (any Disposable)? = _number.observe { value in heard.append(value) }
    number = 1
    #expect(observation != nil)
    observation = nil
    number = 2
    #expect(heard == [1])
  }

  @Test func observerThatSetsTheValueLeavesTheNewestOneToTheOthers() {
    var heard: [String] = []
    let bag = DisposeBag()
    _number.observe { [unowned self] value in if value < 3 { number = value + 1 } }
      .dispose(in: bag)
    _number.observe { old, new in heard.append("\(old) \(new)") }.dispose(in: bag)
    number = 1
    #expect(heard == ["2 3", "1 3", "0 3"])
    #expect(number == 3)
  }

  @Test func observerThatWasEndedByAnotherHearsNothing() {
    var bag: DisposeBag? = DisposeBag()
    let own = DisposeBag()
    var heard: [Int] = []
    _number.observe { _ in bag = nil }.dispose(in: own)
    if let bag { _number.observe { value in heard.append(value) }.dispose(in: bag) }
    number = 1
    #expect(heard.isEmpty && bag == nil)
  }

  @Test func observationDoesNotKeepTheSubjectAlive() {
    var subject: StoredSubject<Int>? = StoredSubject(wrappedValue: 0)
    weak let released = subject
    let observation = subject?.observe { _ in }
    subject = nil
    #expect(released == nil)
    _ = observation
  }
}
