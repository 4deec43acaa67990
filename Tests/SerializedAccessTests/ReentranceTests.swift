import Dispatch
import SerializedAccess
import TestSupport
import Testing

struct ReentranceTests {
  /// An access inside another one.
  enum NestedAccess: CaseIterable, Codable, Sendable {
    case inAccess, assigning, inScheduledAccess, inChangeInPlace, inObserver, values

    func perform(on value: Serialized<[Int]>) {
      switch self {
      case .inAccess: value.access { $0 = value.wrappedValue }
      case .assigning: value.access { _ in value.wrappedValue = [] }
      case .inScheduledAccess:
        value.asyncAccess { _ in value.wrappedValue += [1] }
        DispatchSemaphore(value: 0).wait()
      case .inChangeInPlace: value.wrappedValue.sort { $0 + value.wrappedValue.count < $1 }
      case .inObserver:
        let observation = value.observe { _, _ in value.wrappedValue += [1] }
        value.wrappedValue += [1]
        observation.cancel()
      case .values: value.access { _ in _ = value.values }
      }
    }
  }

  @Test(arguments: NestedAccess.allCases, [false, true])
  func nestedAccessIsRejected(access: NestedAccess, onCustomQueue: Bool) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [access = access as NestedAccess, onCustomQueue = onCustomQueue as Bool] in
      let label = "com.example.orders"
      let queue = DispatchQueue(label: label)
      let values = [3, 1, 2]
      access.perform(
        on: onCustomQueue
          ? Serialized(values, customQueue: queue) : Serialized(values, customQueue: label))
    }
    let text = #"on the queue "com.example.orders" was accessed from inside an access to it"#
    #expect(message(of: result).contains(text))
  }

  @Test func changeInPlaceThatMovesToAnotherThreadIsRejected() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await ThreadChangingActor().change(Serialized(0, customQueue: "com.example.orders"))
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

  func change(_ value: Serialized<Int>) async { await value.wrappedValue.incrementInSteps() }
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
