import Dispatch
import SerializedAccess
import Testing

/// What an exit test wrote on standard error.
func message(of result: ExitTest.Result?) -> String {
  String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
}

struct ReentranceTests {
  private let expected =
    #"on the queue "com.example.orders" was accessed from inside an access to it"#

  @Test func accessInsideAccessIsRefused() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let value = Serialized(0, customQueue: "com.example.orders")
      value.access { $0 = value.wrappedValue }
    }
    #expect(message(of: result).contains(expected))
  }

  @Test func assignmentInsideAccessIsRefused() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let value = Serialized("", customQueue: "com.example.orders")
      value.access { _ in value.wrappedValue = "x" }
    }
    #expect(message(of: result).contains(expected))
  }

  @Test func accessInsideScheduledAccessIsRefused() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let value = Serialized(0, customQueue: "com.example.orders")
      value.asyncAccess { _ in value.wrappedValue += 1 }
      DispatchSemaphore(value: 0).wait()
    }
    #expect(message(of: result).contains(expected))
  }

  @Test func accessInsideAChangeInPlaceIsRefused() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let value = Serialized([3, 1, 2], customQueue: "com.example.orders")
      value.wrappedValue.sort { $0 + value.wrappedValue.count < $1 }
    }
    #expect(message(of: result).contains(expected))
  }

  @Test func accessInsideAnObserverIsRefused() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let value = Serialized(0, customQueue: "com.example.orders")
      let observation = value.observe { _, _ in value.wrappedValue += 1 }
      value.wrappedValue = 1
      observation.cancel()
    }
    #expect(message(of: result).contains(expected))
  }

  @Test func valuesInsideAccessAreRefused() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let value = Serialized(0, customQueue: "com.example.orders")
      value.access { _ in _ = value.values }
    }
    #expect(message(of: result).contains(expected))
  }

  @Test func accessInsideAccessOnACallersQueueIsRefused() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let value = Serialized(0, customQueue: DispatchQueue(label: "com.example.orders"))
      value.access { $0 = value.wrappedValue }
    }
    #expect(message(of: result).contains(expected))
  }

  @Test func accessInsideAChangeInPlaceOnACallersQueueIsRefused() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let value = Serialized([3, 1], customQueue: DispatchQueue(label: "com.example.orders"))
      value.wrappedValue.sort { $0 + value.wrappedValue.count < $1 }
    }
    #expect(message(of: result).contains(expected))
  }

  @Test func accessInsideAnObserverOnACallersQueueIsRefused() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let value = Serialized(0, customQueue: DispatchQueue(label: "com.example.orders"))
      let observation = value.observe { _, _ in value.wrappedValue += 1 }
      value.wrappedValue += 1
      observation.cancel()
    }
    #expect(message(of: result).contains(expected))
  }

  @Test func changeInPlaceThatMovesToAnotherThreadIsRefused() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let value = Serialized(Wanderer(), customQueue: "com.example.orders")
      // Each step ends on another queue; a thousand of them never stay on one thread.
      for _ in 0..<1_000 { await value.wrappedValue.wander() }
    }
    #expect(message(of: result).contains("ended on another thread than it began on"))
  }
}

private struct Wanderer: Sendable {
  var steps = 0

  @concurrent mutating func wander() async {
    steps += 1
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "elsewhere").async { continuation.resume() }
    }
  }
}
