import Concurrency
import StorageInternals
import Testing

struct FailureLogTests {
  @Test func forgottenFailureIsWrittenAgain() {
    let lines = Lock([String]())
    let log = FailureLog<String> { line in lines.withLock { $0.append(line) } }
    for failure in ["a", "b", "a"] { log.report(failure) }
    log.forget("a")
    log.forget("c")
    for failure in ["a", "b"] { log.report(failure) }
    #expect(lines.withLock { $0 } == ["a", "b", "a"])
  }

  /// A lock over a bare closure added a thunk at each access, until a call overflowed the stack.
  @Test func handlerStaysCallableAfterManyAccesses() {
    let failures = Lock([String]())
    let handler = FailureHandler<String>()
    handler.report = { failure in failures.withLock { $0.append(failure) } }
    for _ in 0..<100_000 { _ = handler.report }
    handler.report("a")
    #expect(failures.withLock { $0 } == ["a"])
  }
}
