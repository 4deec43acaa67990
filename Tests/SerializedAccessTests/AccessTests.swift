import SerializedAccess
import Testing

struct AccessTests {
  private struct Refused: Error, Equatable { var reason: String }

  @Test func accessReturnsTheResultOfTheClosure() {
    let stack = Serialized([1, 2, 3])
    #expect(stack.access { $0.popLast() } == 3)
    #expect(stack.wrappedValue == [1, 2])
    // A closure that does not throw needs no `try`.
    stack.access { $0 += [4] }
    #expect(stack.wrappedValue == [1, 2, 4])
  }

  @Test func accessRethrowsTheErrorWithItsType() {
    let number = Serialized(0)
    do {
      try number.access { number throws(Refused) in
        number = 1
        throw Refused(reason: "full")
      }
      Issue.record("nothing was thrown")
    } catch {
      // This only compiles because the type of the error is kept.
      #expect(error.reason == "full")
    }
    #expect(number.wrappedValue == 1)
  }

  @Test func scheduledChangeIsSeenByTheNextAccess() {
    let number = Serialized(0)
    for round in 0..<1_000 {
      let before = number.wrappedValue
      number.asyncAccess { $0 += 1 }
      // A closure that returns a value transforms.
      number.asyncAccess { $0 + 1 }
      switch round % 4 {
      case 0: #expect(number.wrappedValue == before + 2)
      case 1: #expect(number.access { $0 } == before + 2)
      case 2: number.wrappedValue += 0
      default: number.wrappedValue = before + 2
      }
      #expect(number.wrappedValue == before + 2)
    }
  }

  @Test func schedulingFromInsideAnAccessIsAllowed() {
    let numbers = Serialized([Int]())
    numbers.access { values in
      numbers.asyncAccess { $0.append(2) }
      values.append(1)
    }
    numbers.asyncAccess { values in
      numbers.asyncAccess { $0.append(4) }
      values.append(3)
    }
    #expect(numbers.wrappedValue.prefix(3) == [1, 2, 3])
    #expect(numbers.wrappedValue == [1, 2, 3, 4])
  }

  @Test func schedulingDoesNotWaitForAccessInProgress() {
    let numbers = Serialized([0])
    // This would deadlock if it waited for the access.
    whileAccessing(numbers) { numbers.asyncAccess { $0.append(1) } }
    #expect(numbers.wrappedValue == [0, 1])
  }

  @Test func scheduledChangeRetainsValue() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    Serialized(41).asyncAccess { continuation.yield($0 + 1) }
    var numbers = stream.makeAsyncIterator()
    #expect(await numbers.next() == 42)
  }
}
