import CLibrary
import Concurrency
import Dispatch
import StorageInternals
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct SerialThreadTests {
  @Test func closuresOfManyThreadsRunOneAtATimeInOrder() throws {
    let thread = SerialThread()
    let heard = Lock([[Int]](repeating: [], count: 8))
    let isOver = DispatchSemaphore(value: 0)
    onThreads(8) { number in
      for value in 0..<500 {
        thread.run {
          // Closures run one at a time, so no other one changes the lists in between.
          var all = heard.withLock { $0 }
          all[number].append(value)
          heard.withLock { $0 = all }
        }
      }
    }
    thread.run { isOver.signal() }
    isOver.wait()
    #expect(heard.withLock { $0 } == Array(repeating: Array(0..<500), count: 8))
  }

  @Test func delayedClosureRunsInTimeUnlessItIsCancelled() throws {
    let thread = SerialThread()
    let heard = Heard<String>()
    let never = try #require(thread.run(after: .seconds(Int64.max)) { heard.hear("never") })
    _ = thread.run(after: .milliseconds(30)) { heard.hear("later") }
    let cancelled = try #require(thread.run(after: .milliseconds(1)) { heard.hear("cancelled") })
    thread.cancel(cancelled)
    thread.run { heard.hear("now") }
    #expect(heard.wait(for: "later"))
    #expect(heard.all.filter { $0 != "cancelled" } == ["now", "later"])
    thread.cancel(never)
    thread.cancel(never)
  }

  @Test func cancelledClosureIsReleased() throws {
    let thread = SerialThread()
    weak var captured: Heard<Int>?
    let number = try {
      let object = Heard<Int>()
      captured = object
      return try #require(thread.run(after: .seconds(100_000)) { object.hear(1) })
    }()
    #expect(captured != nil)
    thread.cancel(number)
    #expect(captured == nil)
  }

  @Test func threadEndsWhenItHasNothingToDoAndIsMadeAnew() throws {
    let thread = SerialThread()
    let identifiers = Lock([String]())
    for count in 1...2 {
      thread.run {
        // The name is only valid within the thread.
        let name = (try? FileSystem().linkTarget(of: "/proc/thread-self")) ?? ""
        identifiers.withLock { $0.append(name) }
      }
      try wait { identifiers.withLock { $0.count } == count }
      let name = try #require(identifiers.withLock { $0.last })
      #expect(name.contains("/task/"))
      try wait { try FileSystem().status(of: "/proc/\(name)") == nil }
    }
  }

  @Test(.forks) func nothingRunsInAForkedChild() async {
    await #expect(processExitsWith: .success) {
      let thread = SerialThread()
      let isRunning = DispatchSemaphore(value: 0)
      thread.run { isRunning.signal() }
      isRunning.wait()
      let child = try ForkedChild {
        thread.run { _exit(2) }
        if thread.run(after: .zero, { _exit(2) }) != nil { _exit(3) }
        thread.cancel(1)
        let own = SerialThread()
        own.run { _exit(4) }
        usleep(100_000)
      }
      if child.end() != 0 { _exit(1) }
    }
  }
}
