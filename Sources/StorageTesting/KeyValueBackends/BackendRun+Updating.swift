import Concurrency
import KeyValueStorage

// The checks of updates by several writers, of revisions, errors and durability.
extension BackendRun {
  func updatesApplyInOrder() throws {
    try expectLoad([:], "of a new backend")
    var expected: [String: String] = [:]
    for index in 0..<6 {
      // Between two loads, each instance may keep content that the other one makes obsolete.
      let instance = index.isMultiple(of: 2) ? otherInstance : backend
      let values = ["last": "\(index)", "key \(index)": "value \(index)"]
      let changes = try changes(values)
      // The closure may be called several times; the last call has the newest content.
      let (contents, seen) = try update(instance) { (changes, $0) }
      expect(expected, in: seen, "closure of update \(index)")
      expected.merge(values) { $1 }
      expect(expected, in: contents, "update \(index)")
      if index % 3 == 2 { try expectLoad(expected, "after update \(index)") }
    }
  }

  func revisionsTellChanges() throws {
    for (instance, name) in [(backend, ""), (otherInstance, ", other instance")] {
      var revisions: Set<Int64> = []
      for index in 0..<5 {
        let revision = try instance.load().revision
        expect(
          revisions.insert(revision).inserted, "load()\(name)",
          "a revision that no other content has had")
        // Both instances make changes in turn.
        try set(["key": "\(name) \(index)"], in: index.isMultiple(of: 2) ? backend : otherInstance)
        expect(try instance.hasChanged(since: revision), "hasChanged(since:)\(name)", "true")
      }
    }
  }

  func emptyUpdateWritesNothing() async throws {
    try await expectNoChange("update without changes") { operation in
      let (contents, result) = try update(backend) { _ in (KeyValueChanges(), "result") }
      expect(result == "result", operation, "the result of the closure")
      expect(["key": "1"], in: contents, operation)
    }
  }

  func errorsArePassedOn() async throws {
    for error in [KeyValueStoreError.unavailable("The check throws this error."), .cancelled] {
      try await expectNoChange("update that fails") { operation in
        do throws(KeyValueStoreError) {
          _ = try update(backend) { _ throws(KeyValueStoreError) -> (KeyValueChanges, Void) in
            throw error
          }
          expect(false, operation, "the error of its closure, but it succeeded")
        } catch let found {
          expect(found == error, operation, "the error of its closure, but got “\(found)”")
        }
      }
    }
  }

  func updatesAreDurable() throws {
    var current = backend
    let updates: [([String: String?], [String: String])] = [
      (["a": "1", "b": "2"], ["a": "1", "b": "2"]), (["a": "3"], ["a": "3", "b": "2"]),
      (["a": "3", "b": nil], ["a": "3"]), (["a": nil, "c": "4"], ["c": "4"]),
    ]
    for (values, expected) in updates {
      try set(values, in: current)
      current = try reopenAfterCrash(current)
      expect(expected, in: try current.load(), "load() after a crash")
    }
  }

  func concurrentUpdatesAreNotLost() async throws {
    let writers = 4, increments = 10
    try await withThrowingTaskGroup { group in
      for index in 0..<writers {
        let instance = index.isMultiple(of: 2) ? backend : otherInstance
        group.addTask { try await onThread { try increment(in: instance, times: increments) } }
      }
      try await group.waitForAll()
    }
    let contents = try backend.load()
    expect(
      value("one", in: contents) == writers * increments, "concurrent updates",
      "the sum of all updates")
  }

  /// Calls a closure on a thread of its own, because a backend may wait for an asynchronous client,
  /// which needs the threads of the tasks.
  private func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { continuation in
      let code = DetachedThread.start { continuation.resume(with: Result(catching: body)) }
      if code != 0 {
        continuation.resume(
          throwing: KeyValueStoreError.system(call: "pthread_create", path: "", code: code))
      }
    }
  }

  private func increment(in instance: any KeyValueBackend, times: Int) throws {
    var last = 0
    for _ in 0..<times {
      for contents in [try increment(in: instance), try instance.load()] {
        let one: Int = value("one", in: contents) ?? 0
        expect(
          one == value("two", in: contents), "load() beside other writers",
          "both changes of each update")
        expect(one >= last, "load() beside other writers", "no older content than before")
        last = max(last, one)
      }
    }
  }

  /// Adds 1 to both of two numbers in one update.
  private func increment(
    in instance: any KeyValueBackend
  ) throws(KeyValueStoreError) -> KeyValueContents {
    try update(instance) { contents throws(KeyValueStoreError) in
      var changes = KeyValueChanges()
      for key in ["one", "two"] {
        // The addition wraps around, because a faulty backend may return any number.
        let number: Int = value(key, in: contents) ?? 0
        changes.set(key, to: try encode(number &+ 1))
      }
      return (changes, ())
    }.0
  }
}
