import Concurrency
import Synchronization
import TestSupport
import Testing

struct LazyValueTests {
  private struct Missing: Error {}

  @Test func failureIsRetriedAndSuccessIsKept() throws {
    let attempts = Atomic(0)
    let value = LazyValue { () throws(Missing) in
      let attempt = attempts.wrappingAdd(1, ordering: .relaxed).newValue
      if attempt < 3 { throw Missing() }
      return Box("made at attempt \(attempt)")
    }
    for _ in 0..<2 { #expect(throws: Missing.self) { try value.get() } }
    #expect(value.createdValue == nil)
    for _ in 0..<3 { #expect(try value.get().value == "made at attempt 3") }
    #expect(value.createdValue?.value == "made at attempt 3")
  }

  @Test func allThreadsGetTheSameValue() throws {
    for _ in 0..<20 {
      let made = Atomic(0)
      let value = LazyValue { () throws(Missing) in
        Box("\(made.wrappingAdd(1, ordering: .relaxed).newValue)")
      }
      let got = Lock(Set<String>())
      try onThreads(4) { _ in
        let one = try value.get().value
        got.withLock { _ = $0.insert(one) }
      }
      #expect(got.withLock { $0.count } == 1)
    }
  }
}
