import Concurrency
import KeyValueStorage

extension BackendRun {
  func updatesBeginWithTheNewestContents() throws {
    try set(["a": 1])
    _ = try backend.load()
    try set(["b": 2], in: other)
    let operation = "contents that update passes to the closure"
    var seen: KeyValueContents?
    let contents = try backend.update { contents in
      seen = contents
      return KeyValueChanges()
    }
    if let seen { try expect(seen, ["a": 1, "b": 2], operation) }
    expect(seen != nil, operation, "a call of the closure")
    try expect(contents, ["a": 1, "b": 2], "result of update")
    try increment("b", in: backend)
    try expect(other.load(), ["a": 1, "b": 3], "load, other backend")
  }

  func updatesApplyInOrder() throws {
    for number in 1...20 {
      let (writer, reader) = number.isMultiple(of: 2) ? (backend, other) : (other, backend)
      try set(["a": number, "b": -number], in: writer)
      for backend in [writer, reader] {
        try expect(backend.load(), ["a": number, "b": -number], "load after update \(number)")
      }
    }
  }

  func otherBackendSeesUpdates() throws {
    // Fills the cache of the other backend.
    try expect(other.load(), [:], "load, other backend")
    try set(["a": 1])
    try expect(other.load(), ["a": 1], "load, other backend")
    try set(["a": nil])
    try expect(other.load(), [:], "load after a removal, other backend")
  }

  func updatesSurviveACrash() throws {
    try set(["a": 1, "b": 2])
    try expect(reopen().load(), ["a": 1, "b": 2], "load after a crash")
    try set(["a": 3, "b": nil])
    try expect(reopen().load(), ["a": 3], "load after a crash")
    let reopened = try reopen()
    try increment("a", in: reopened)
    try expect(reopen().load(), ["a": 4], "load after a second crash")
  }

  func changesAreDetected() throws {
    let changes: [KeyValuePairs<String, Int?>] = [
      ["a": 1], ["a": 2], ["b": 3], ["a": nil], ["b": 4], ["c": 5],
    ]
    for (index, change) in changes.enumerated() {
      let revisions = [try backend.load().revision, try other.load().revision]
      try set(change, in: index.isMultiple(of: 2) ? other : backend)
      for (backend, revision) in zip([backend, other], revisions) {
        let hasChanged = try backend.hasChanged(since: revision)
        expect(hasChanged, "hasChanged(since:) after change \(index)", "true")
      }
    }
  }

  func updatedContentsAreTheNewest() throws {
    try set(["a": 1, "b": 2, "c": 3])
    let backends = [backend, other]
    let oldest = try backends.map { try $0.load() }
    var previous = oldest
    let changes: [KeyValuePairs<String, Int?>] = [
      ["a": 4], ["b": nil], ["d": 5, "e": 6], ["b": 7, "d": nil], ["a": nil, "c": 8], ["a": 9],
    ]
    for (number, change) in changes.enumerated() {
      try set(change, in: backends[number % 2])
      for (index, backend) in backends.enumerated() {
        let newest = try backend.load()
        for (contents, name) in [(previous[index], "previous"), (oldest[index], "oldest")] {
          let operation = "load(updating:) of the \(name) contents after change \(number)"
          let first = try backend.load().revision
          let updated = try backend.load(updating: contents)
          let last = try backend.load().revision
          expect(updated, newest, operation)
          // Equal, unless the backend cannot tell whether its storage has just changed.
          let isNewest = first <= updated.revision && updated.revision <= last
          expect(isNewest, operation, "the revision of load()")
        }
        previous[index] = newest
      }
    }
  }

  func revisionsIncrease() throws {
    var revisions = [try backend.load().revision, try other.load().revision]
    for number in 1...10 {
      // The contents are those of two changes before, but newer.
      let written = try set(["a": number % 2]).revision
      expect(written > revisions[0], "result of update", "a higher revision than before")
      revisions[0] = max(revisions[0], written - 1)
      let newest = [try backend.load().revision, try other.load().revision]
      let areHigher = zip(newest, revisions).allSatisfy { $0 > $1 }
      expect(areHigher, "load after a change", "a higher revision than before")
      revisions = newest
    }
  }

  func readsNeverGoBack() async throws {
    let isWriting = Lock(true)
    try await withThrowingTaskGroup { group in
      group.addTask {
        try await Self.blocking {
          // Before the task is resumed, which may wait for a busy pool while the readers spin.
          defer { isWriting.withLock { $0 = false } }
          for _ in 0..<50 { try increment("a", in: backend) }
        }
      }
      for reader in [backend, other] {
        group.addTask {
          try await Self.blocking {
            var number = 0, revision = Int64.min, readsAfterWriting = 0
            while readsAfterWriting < 10 {
              if !isWriting.withLock({ $0 }) { readsAfterWriting += 1 }
              let contents = try reader.load()
              let newNumber = try integer("a", in: contents)
              if newNumber < number || contents.revision < revision {
                return expect(false, "load during updates", "no older contents than before")
              }
              (number, revision) = (newNumber, contents.revision)
            }
          }
        }
      }
      try await group.waitForAll()
    }
  }

  func concurrentUpdatesAreNotLost() async throws {
    let tasks = 4, increments = 10
    try await withThrowingTaskGroup { group in
      for index in 0..<tasks {
        group.addTask {
          try await Self.blocking {
            for _ in 0..<increments {
              try increment("sum", in: index.isMultiple(of: 2) ? backend : other)
              try set(["task \(index)": index], in: index.isMultiple(of: 2) ? other : backend)
            }
          }
        }
      }
      try await group.waitForAll()
    }
    try await Self.blocking {
      try expect(
        reopen().load(),
        ["sum": tasks * increments, "task 0": 0, "task 1": 1, "task 2": 2, "task 3": 3],
        "concurrent updates")
    }
  }
}
