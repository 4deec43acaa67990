import Dispatch
import SerializedAccess
import TestSupport
import Testing

struct ConcurrencyTests {
  enum Queue: CaseIterable, Sendable {
    case own, custom

    func wrap<Value>(_ value: Value) -> Serialized<Value> {
      switch self {
      case .own: Serialized(value)
      case .custom: Serialized(value, customQueue: DispatchQueue(label: "com.example.custom"))
      }
    }
  }

  @Test(arguments: Queue.allCases) func mixedAccessesLoseNothing(queue: Queue) {
    let counts = queue.wrap(["key": 0])
    let changes = Serialized(0)
    let increase = Serialized(0)
    let observation = counts.observe { old, new in
      changes.wrappedValue += 1
      increase.wrappedValue += new["key", default: 0] - old["key", default: 0]
    }
    let rounds = 250
    onThreads(8) { thread in
      for round in 0..<rounds {
        switch (thread + round) % 5 {
        case 0: counts.wrappedValue["key", default: 0] += 1
        case 1: counts.access { $0["key", default: 0] += 1 }
        case 2: counts.asyncAccess { $0["key", default: 0] += 1 }
        case 3:
          counts.asyncAccess(transform: { $0.merging(["key": 1]) { $0 + $1 } })
          // This thread's scheduled change is visible, regardless of the other threads.
          if counts.wrappedValue["key", default: 0] == 0 { Issue.record("a change was not seen") }
        default:
          let before = counts.wrappedValue["key", default: 0]
          counts.wrappedValue["key", default: 0] += 1
          if counts.wrappedValue["key", default: 0] <= before { Issue.record("went backwards") }
        }
      }
    }
    #expect(counts.wrappedValue == ["key": 8 * rounds])
    #expect(changes.wrappedValue == 8 * rounds)
    #expect(increase.wrappedValue == 8 * rounds)
    observation.cancel()
  }

  @Test(arguments: Queue.allCases) func tasksLoseNothing(queue: Queue) async throws {
    let count = queue.wrap(0)
    try await withThrowingTaskGroup { group in
      for _ in 0..<8 {
        group.addTask { for _ in 0..<100 { try await count.access { $0 += 1 } } }
      }
      try await group.waitForAll()
    }
    #expect(count.wrappedValue == 800)
  }

  @Test(arguments: Queue.allCases) func eachThreadSeesItsOwnScheduledChanges(queue: Queue) {
    let lists = queue.wrap([[Int]](repeating: [], count: 8))
    onThreads(8) { thread in
      for round in 0..<100 {
        lists.asyncAccess { $0[thread].append(round) }
        if lists.wrappedValue[thread] != Array(0...round) { Issue.record("order was broken") }
      }
    }
  }
}
