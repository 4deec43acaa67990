import SerializedAccess
import Testing

struct ObservationTests {
  private func recording(
    _ value: Serialized<Int>
  ) -> (log: Serialized<[[Int]]>, observation: SerializedObservation) {
    let log = Serialized([[Int]]())
    return (log, value.observe { old, new in log.wrappedValue.append([old, new]) })
  }

  @Test func observerReceivesChangesInOrder() {
    let number = Serialized(0)
    let (log, observation) = recording(number)
    number.wrappedValue = 1
    number.wrappedValue += 1
    number.access { $0 += 1 }
    number.asyncAccess { $0 += 1 }
    number.asyncAccess(transform: { $0 + 1 })
    #expect(number.wrappedValue == 5)
    _ = number.description
    #expect(log.wrappedValue == [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5]])
    observation.cancel()
    observation.cancel()
    number.wrappedValue = 6
    #expect(log.wrappedValue.count == 5)
  }

  @Test func releasedObservationEnds() {
    let number = Serialized(0)
    let log: Serialized<[[Int]]>
    do {
      let recording = recording(number)
      log = recording.log
      number.wrappedValue = 1
    }
    number.wrappedValue = 2
    #expect(log.wrappedValue == [[0, 1]])
  }

  @Test func observerCanCancelItself() {
    let number = Serialized(0)
    let own = Serialized<SerializedObservation?>(nil)
    let calls = Serialized(0)
    own.wrappedValue = number.observe { _, _ in
      calls.wrappedValue += 1
      own.wrappedValue?.cancel()
    }
    number.wrappedValue += 1
    number.wrappedValue += 1
    #expect(calls.wrappedValue == 1)
  }

  @Test func observerCancelledByAnotherIsNotCalled() {
    let number = Serialized(0)
    let second = Serialized<SerializedObservation?>(nil)
    let calls = Serialized([String]())
    let first = number.observe { _, _ in
      calls.wrappedValue.append("first")
      second.wrappedValue?.cancel()
    }
    second.wrappedValue = number.observe { _, _ in calls.wrappedValue.append("second") }
    number.wrappedValue = 1
    #expect(calls.wrappedValue == ["first"])
    first.cancel()
  }

  @Test func changeThatThrowsIsAChange() {
    struct Refused: Error {}
    let number = Serialized(0)
    let (log, observation) = recording(number)
    #expect(throws: Refused.self) {
      try number.access { number in
        number = 1
        throw Refused()
      }
    }
    #expect(log.wrappedValue == [[0, 1]])
    observation.cancel()
  }

  @Test func changeInPlaceWithoutObserverCopiesNothing() {
    let array = Serialized(Array(0..<1_000))
    let before = array.address
    array.observe { _, _ in }.cancel()
    array.wrappedValue[0] = 1
    #expect(array.address == before)
    let observation = array.observe { _, _ in }
    array.wrappedValue[0] = 2
    #expect(array.address != before)
    observation.cancel()
  }
}
