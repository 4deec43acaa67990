import Dispatch
import SerializedAccess
import TestSupport
import Testing

struct CustomQueueTests {
  private let queue = DispatchQueue(label: "com.example.custom")

  @Test func accessesAndObserversRunOnTheQueue() async throws {
    let value = Serialized(0, customQueue: queue)
    let calls = Serialized(0)
    let observation = value.observe { [queue] _, _ in
      dispatchPrecondition(condition: .onQueue(queue))
      calls.wrappedValue += 1
    }
    let increment: @Sendable (inout Int) -> Void = { [queue] number in
      dispatchPrecondition(condition: .onQueue(queue))
      number += 1
    }
    value.wrappedValue = 1
    value.wrappedValue += 1
    value.access(increment)
    value.asyncAccess(increment)
    try await value.access { increment(&$0) }
    #expect(value.wrappedValue == 5)
    #expect(calls.wrappedValue == 5)
    observation.cancel()
  }

  @Test func scheduledAccessesKeepOrderAmongOtherWork() {
    let log = Serialized([String]())
    let value = Serialized(0, customQueue: queue)
    queue.suspend()
    value.asyncAccess { _ in log.wrappedValue.append("first") }
    queue.async { log.wrappedValue.append("between") }
    value.asyncAccess { _ in log.wrappedValue.append("last") }
    queue.resume()
    queue.sync {}
    #expect(log.wrappedValue == ["first", "between", "last"])
  }

  /// The main queue cannot be suspended, and runs the work of a queue that targets it elsewhere.
  @Test(arguments: [
    DispatchQueue(label: "com.example.custom"), .main,
    DispatchQueue(label: "above the main one", target: .main),
  ]) func changeInPlaceExcludesOtherWorkOnTheQueue(queue: DispatchQueue) {
    let value = Serialized([Int](), customQueue: queue)
    let isChanging = Serialized(false)
    let overlaps = Serialized(0)
    onThreads(4) { thread in
      for _ in 0..<200 {
        if thread < 2 {
          value.wrappedValue.change { isChanging.wrappedValue = $0 }
        } else {
          queue.sync { if isChanging.wrappedValue { overlaps.wrappedValue += 1 } }
        }
      }
    }
    #expect(overlaps.wrappedValue == 0)
    #expect(value.wrappedValue.count == 400)
  }

  @Test func observerAddedDuringAccessesRunsOnTheQueue() {
    let queue = queue
    let value = Serialized(0, customQueue: queue)
    let changes = Serialized(0)
    onThreads(2) { thread in
      for _ in 0..<200 {
        if thread == 0 {
          value.wrappedValue += 1
        } else {
          let observation = value.observe { old, new in
            dispatchPrecondition(condition: .onQueue(queue))
            changes.wrappedValue += new - old
          }
          value.wrappedValue += 1
          observation.cancel()
        }
      }
    }
    #expect(value.wrappedValue == 400)
    #expect(changes.wrappedValue >= 200)
  }

  @Test func codeOnTheQueueAccessesValueDirectly() {
    let value = Serialized(0, customQueue: queue)
    queue.sync {
      value.asyncAccess { $0 = 10 }
      // The order holds here too, although the queue cannot run the scheduled access yet.
      #expect(value.wrappedValue == 10)
      value.wrappedValue += 1
      value.asyncAccess { $0 *= 2 }
      value.wrappedValue += 1
      #expect(value.access { $0 } == 23)
    }
    #expect(value.wrappedValue == 23)
  }

  @Test func queueThatTargetsTheQueueAccessesValueDirectly() {
    let value = Serialized(1, customQueue: queue)
    let above = Serialized(2, customQueue: DispatchQueue(label: "above", target: queue))
    #expect(above.access { $0 + value.wrappedValue } == 3)
  }

  @Test func valuesShareAQueue() {
    let first = Serialized(1, customQueue: queue)
    let second = Serialized(2, customQueue: queue)
    first.access { first in
      second.wrappedValue += first
      first = second.wrappedValue
    }
    #expect(first.wrappedValue == 3 && second.wrappedValue == 3)
  }

  @Test func everyKindOfSerialQueueIsAccepted() {
    let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)
    let inactive = DispatchQueue(label: "inactive", attributes: .initiallyInactive)
    for queue in [
      DispatchQueue(label: "low", qos: .background),
      DispatchQueue(label: "above", target: concurrent),
      inactive,
      .main,
    ] { _ = Serialized(0, customQueue: queue) }
    inactive.activate()
  }

  /// A queue that runs its work concurrently.
  enum ConcurrentQueue: CaseIterable, Codable, Sendable {
    case active, inactive, global

    func use() {
      switch self {
      case .active:
        _ = Serialized(0, customQueue: DispatchQueue(label: "wide", attributes: .concurrent))
      case .inactive:
        let attributes: DispatchQueue.Attributes = [.concurrent, .initiallyInactive]
        let queue = DispatchQueue(label: "wide", attributes: attributes)
        queue.activate()
        _ = Serialized(0, customQueue: queue)
      case .global: _ = Serialized(wrappedValue: 0, customQueue: .global(qos: .utility))
      }
    }
  }

  @Test(arguments: ConcurrentQueue.allCases)
  func concurrentQueueIsRejected(queue: ConcurrentQueue) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [queue = queue as ConcurrentQueue] in
      queue.use()
    }
    let name = queue == .global ? "" : #"The queue "wide""#
    #expect(message(of: result).contains("\(name) is concurrent"))
  }
}

extension [Int] {
  fileprivate mutating func change(_ isChanging: (Bool) -> Void) {
    isChanging(true)
    append(count)
    isChanging(false)
  }
}
