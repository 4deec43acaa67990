import Dispatch
import SerializedAccess
import Testing

/// Returns an exit test's output on standard error.
func message(of result: ExitTest.Result?) -> String {
  String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
}

struct ReentranceTests {
  private let expected =
    #"on the queue "com.example.orders" was accessed from inside an access to it"#

  @Test func accessInsideAccessIsRejected() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let value = Serialized(0, customQueue: "com.example.orders")
      value.access { $0 = value.wrappedValue }
    }
    #expect(message(of: result).contains(expected))
  }

  @Test func assignmentInsideAccessIsRejected() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let value = Serialized("", customQueue: "com.example.orders")
      value.access { _ in value.wrappedValue = "x" }
    }
    #expect(message(of: result).contains(expected))
  }

  @Test func accessInsideScheduledAccessIsRejected() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let value = Serialized(0, customQueue: "com.example.orders")
      value.asyncAccess { _ in value.wrappedValue += 1 }
      DispatchSemaphore(value: 0).wait()
    }
    #expect(message(of: result).contains(expected))
  }

  @Test func accessInsideChangeInPlaceIsRejected() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let value = Serialized([3, 1, 2], customQueue: "com.example.orders")
      value.wrappedValue.sort { $0 + value.wrappedValue.count < $1 }
    }
    #expect(message(of: result).contains(expected))
  }

  @Test func accessInsideObserverIsRejected() async {
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

  @Test func valuesInsideAccessAreRejected() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let value = Serialized(0, customQueue: "com.example.orders")
      value.access { _ in _ = value.values }
    }
    #expect(message(of: result).contains(expected))
  }

  @Test func accessInsideAccessOnCustomQueueIsRejected() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let value = Serialized(0, customQueue: DispatchQueue(label: "com.example.orders"))
      value.access { $0 = value.wrappedValue }
    }
    #expect(message(of: result).contains(expected))
  }

  @Test func accessInsideChangeInPlaceOnCustomQueueIsRejected() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let value = Serialized([3, 1], customQueue: DispatchQueue(label: "com.example.orders"))
      value.wrappedValue.sort { $0 + value.wrappedValue.count < $1 }
    }
    #expect(message(of: result).contains(expected))
  }

  @Test func accessInsideObserverOnCustomQueueIsRejected() async {
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

  @Test func changeInPlaceThatMovesToAnotherThreadIsRejected() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let value = Serialized(0, customQueue: "com.example.orders")
      await ThreadChangingActor().change(value)
    }
    #expect(message(of: result).contains("ended on a different thread than it began on"))
  }
}

/// An actor that runs each of its steps on another thread.
private actor ThreadChangingActor {
  private let executor = NewThreadExecutor()
  // The actor keeps the executor alive, as required.
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  func change(_ value: Serialized<Int>) async {
    await value.wrappedValue.incrementInSteps()
  }
}

private final class NewThreadExecutor: SerialExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    // `self` stays alive until the job, which runs once, has ended.
    let job = UnownedJob(job)
    DispatchQueue(label: "step").async { [self] in
      unsafe job.runSynchronously(on: asUnownedSerialExecutor())
      // Blocks the thread, so that the next step gets another one.
      DispatchSemaphore(value: 0).wait()
    }
  }
}

extension Int {
  fileprivate mutating func incrementInSteps() async {
    self += 1
    await Task.yield()
    self += 1
  }
}
