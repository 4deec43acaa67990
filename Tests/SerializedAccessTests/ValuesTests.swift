import SerializedAccess
import Testing

struct ValuesTests {
  @Test func valuesBeginWithTheCurrentValue() async {
    let number = Serialized(0)
    number.asyncAccess { $0 = 1 }
    var numbers = number.values.makeAsyncIterator()
    #expect(await numbers.next() == 1)
    number.wrappedValue = 2
    #expect(await numbers.next() == 2)
    number.wrappedValue += 1
    #expect(await numbers.next() == 3)
    number.asyncAccess { $0 += 1 }
    #expect(await numbers.next() == 4)
  }

  @Test func slowConsumerGetsTheNewestValue() async {
    let number = Serialized(0)
    var numbers = number.values.makeAsyncIterator()
    for _ in 0..<1_000 { number.wrappedValue += 1 }
    #expect(await numbers.next() == 1_000)
  }

  @Test func valuesEndWithTheWrapper() async {
    var number: Serialized<Int>? = Serialized(1)
    let values = number?.values
    number = nil
    var received: [Int] = []
    if let values { for await value in values { received.append(value) } }
    #expect(received == [1])
  }

  @Test func valuesEndWithTheTaskOfTheConsumer() async {
    let number = Serialized(1)
    let values = number.values
    let task = Task { for await _ in values {} }
    task.cancel()
    await task.value
    number.wrappedValue = 2
  }

  @Test func allConsumersReachTheLastValue() async {
    let number = Serialized(0)
    await withTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          var last = -1
          for await value in number.values {
            #expect(value > last || value == 0)
            last = value
            if value == 500 { break }
          }
        }
      }
      group.addTask { for _ in 0..<500 { number.wrappedValue += 1 } }
    }
  }
}
