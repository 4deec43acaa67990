import KeyValueStorage

extension BackendRun {
  func interruptionIsThrown() throws {
    guard let interrupt else { return }
    let revision = try set(["a": 1]).revision
    let restore = try interrupt(backend)
    for backend in [backend, other] { expectFailures(of: backend, "inaccessible storage") }
    do {
      expect(
        try backend.hasChanged(since: revision), "hasChanged(since:) on inaccessible storage",
        "an error, or true")
    } catch {
      // It is unknown whether the contents have changed.
    }
    try restore()
    try expect(backend.load(), ["a": 1], "load after an interruption")
    try expect(set(["b": 2]), ["a": 1, "b": 2], "update after an interruption")
    try expect(other.load(), ["a": 1, "b": 2], "load after an interruption, other backend")
  }

  func damageIsThrown() throws {
    guard let damage else { return }
    try set(["a": 1])
    try damage(backend)
    for backend in [backend, other] { expectFailures(of: backend, "damaged contents") }
    // A backend may also refuse to be created.
    if let reopened = try? reopen() { expectFailures(of: reopened, "damaged contents") }
  }

  private func expectFailures(of backend: any KeyValueBackend, _ condition: String) {
    expectFailure("load of \(condition)") { () throws(KeyValueStoreError) in try backend.load() }
    expectFailure("update of \(condition)") { () throws(KeyValueStoreError) in
      try backend.update { _ in
        var changes = KeyValueChanges()
        changes.set("a", to: nil)
        return changes
      }
    }
  }

  func readableContentsStay() throws {
    expect(try backend.moveAside() == nil, "moveAside of new storage", "nil")
    try set(["a": 1])
    expect(try backend.moveAside() == nil, "moveAside of readable contents", "nil")
    try expect(backend.load(), ["a": 1], "load after moveAside")
    try expect(reopen().load(), ["a": 1], "load after moveAside, reopened backend")
  }

  func damagedContentsAreMovedAside() throws {
    guard let damage else { return }
    try set(["a": 1])
    try damage(backend)
    expect(try backend.moveAside() != nil, "moveAside of damaged contents", "the new location")
    try expect(backend.load(), [:], "load after moveAside")
    try expect(set(["b": 2]), ["b": 2], "update after moveAside")
    try expect(reopen().load(), ["b": 2], "load after moveAside, reopened backend")
    expect(try backend.moveAside() == nil, "second moveAside", "nil")
  }
}
