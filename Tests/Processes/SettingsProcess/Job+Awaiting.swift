import Concurrency
import Dispatch
import KeyValueStorage

/// A thread that runs the jobs of a task while it waits for the task.
///
/// The pool of Swift's tasks has no thread where none can be created.
private final class WaitingThread: TaskExecutor {
  private let jobs = Lock<[UnownedJob]>([])
  private let jobsChanged = DispatchSemaphore(value: 0)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    jobsChanged.signal()
  }

  func run(_ body: @escaping @Sendable () async -> Void) {
    let isOver = Lock(false)
    Task(executorPreference: self) {
      await body()
      isOver.withLock { $0 = true }
    }
    while !isOver.withLock({ $0 }) {
      jobsChanged.wait()
      let job = jobs.withLock { $0.removeFirst() }
      unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}

extension Job {
  /// See ``Mode/awaitWithoutThreads``.
  func awaitWithoutThreads() throws {
    try forbidThreads()
    KeyValueStore.onFailure = { printLine("told\t\($0)") }
    let store = try open()
    let number = StoredValue(wrappedValue: 0, "number", in: store)
    WaitingThread().run {
      do {
        try await store.set(1, for: "number")
        printLine("set\t\(number.wrappedValue)")
        try await number.save(2)
        printLine("save\t\(try await number.load())")
        try await store.load()
        printLine("load\t\(try await store.value(of: "number", as: Int.self) ?? 0)")
        let result = try await store.transaction {
          number.wrappedValue += 1
          return number.wrappedValue
        }
        printLine("transaction\t\(result)")
        try await store.synchronize()
        printLine("over")
      } catch {
        printLine("error\t\(error)")
      }
    }
  }
}
