import Concurrency
import Synchronization
import TestSupport
import Testing

struct LazyValueTests {
  private struct Missing: Error {}

  @Test func failureIsRetriedAndSuccessIsKept() throws {
    let attempts = Lock(0)
    let value = LazyValue { () throws(Missing) in
      let attempt = attempts.withLock { attempts in
        attempts += 1
        return attempts
      }
      if attempt < 3 { throw Missing() }
      return "made at attempt \(attempt)"
    }
    for _ in 0..<2 { #expect(throws: Missing.self) { try value.get() } }
    #expect(value.createdValue == nil)
    for _ in 0..<3 { #expect(try value.get() == "made at attempt 3") }
    #expect(value.createdValue == "made at attempt 3")
  }

  @Test func allThreadsGetTheSameValue() throws {
    for _ in 0..<20 {
      let made = Atomic(0)
      let value = LazyValue { () throws(Missing) in
        "\(made.wrappingAdd(1, ordering: .relaxed).newValue)"
      }
      let got = Lock(Set<String>())
      try onThreads(4) { _ in
        let one = try value.get()
        got.withLock { _ = $0.insert(one) }
      }
      #expect(got.withLock { $0.count } == 1)
    }
  }
}
