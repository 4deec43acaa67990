import FoundationEssentials
import KeyValueStorage

// The checks that keys and values are stored unchanged, and of unreadable contents.
extension BackendRun {
  func valuesRoundTrip() throws {
    for text in ["", "two\nlines", "\"quoted\" & <marked> \\", "👩‍👩‍👧‍👦", "true", "1"] {
      try expectRoundTrip(text)
    }
    try unlessTooLarge { try expectRoundTrip(String(repeating: "long ", count: 20_000)) }
    for number in [0, -1, Int.max, Int.min] { try expectRoundTrip(number) }
    for number in [0, 0.1, -1.5e300, .leastNonzeroMagnitude] { try expectRoundTrip(number) }
    for isTrue in [true, false] { try expectRoundTrip(isTrue) }
    try expectRoundTrip([[1, 2], [], [3]])
    try expectRoundTrip(["a": ["b": "c"], "": [:]])
    try expectRoundTrip(Data(0...255))
  }

  /// Calls a closure that writes, and returns whether the backend accepts the size.
  @discardableResult
  private func unlessTooLarge(_ body: () throws -> Void) throws -> Bool {
    do {
      try body()
      return true
    } catch KeyValueStoreError.tooLarge {
      return false
    }
  }

  private func expectRoundTrip<Value: Codable & Equatable>(_ value: Value) throws {
    var changes = try changes(["other": "other"])
    changes.set("value", to: try encode(value))
    let updated = try update(backend) { _ in (changes, ()) }.0
    let loaded = [
      ("update", updated), ("load()", try backend.load()),
      ("load(), other instance", try otherInstance.load()),
    ]
    for (operation, contents) in loaded {
      expect(
        self.value("value", in: contents) == value, operation, "a value of type \(Value.self)")
      expect(self.value("other", in: contents) == "other", operation, "the other value")
    }
  }

  func unusualKeysRoundTrip() throws {
    var keys = [
      "", " ", "a.b", "a/../b", "two\nlines", "back\\slash", "\"quoted\"", "<key>&amp;", "$dollar",
      "caf\u{e9}", "cafe\u{301}", "👩‍👩‍👧‍👦", "\u{202e}left",
    ]
    for (index, key) in keys.enumerated() {
      // Each key is set alone, because a dictionary would unite equivalent ones.
      try set([key: "\(index)"])
    }
    let long = String(repeating: "k", count: 1000)
    if try unlessTooLarge({ try set([long: "\(keys.count)"]) }) { keys.append(long) }
    let contents = try otherInstance.load()
    expect(contents.keys.count == keys.count, "load()", "as many keys as were set")
    for (index, key) in keys.enumerated() {
      expect(
        value(key, in: contents) == "\(index)", "load()",
        "the value of the key \(String(reflecting: key))")
    }
  }

  func removedKeysAreGone() throws {
    try set(["a": "1", "b": "2", "c": "3"])
    for operation in ["remove", "remove of a missing key"] {
      expect(["a": "1", "c": "3"], in: try set(["b": nil]), operation)
      try expectLoad(["a": "1", "c": "3"], "after \(operation)")
    }
    try set(["a": nil, "c": nil, "d": "4"])
    try expectLoad(["d": "4"], "after a removal and a set in one update")
  }

  func onlyUnreadableContentsAreMovedAside() throws {
    expect(try backend.moveAside(within: lockTimeout) == nil, "moveAside", "nil for a new backend")
    try set(["a": "1"])
    let location = try backend.moveAside(within: lockTimeout)
    expect(location == nil, "moveAside of readable content", "nil")
    try expectLoad(["a": "1"], "after moveAside")
    guard let damage else { return }
    try damage(backend)
    for (instance, name) in [(backend, ""), (otherInstance, ", other instance")] {
      expectError("load() of unreadable content\(name)") { () throws(KeyValueStoreError) in
        _ = try instance.load()
      }
      expectError("update of unreadable content\(name)") { () throws(KeyValueStoreError) in
        try set(["a": "2"], in: instance)
      }
    }
    do throws(KeyValueStoreError) {
      let location = try backend.moveAside(within: lockTimeout)
      expect(location != nil, "moveAside of unreadable content", "a location")
    } catch {
      // Content that is unreachable cannot be moved either.
      switch error {
      case .unavailable, .system, .busy, .readOnly, .ownedByAnother, .notAFile: return
      default:
        return expect(
          false, "moveAside of unreadable content",
          "a location, or the reason why it is unreachable, but got “\(error)”")
      }
    }
    try expectLoad([:], "after moveAside")
    try set(["a": "3"])
    try expectLoad(["a": "3"], "after moveAside and an update")
  }

  private func expectError(
    _ operation: String, _ body: () throws(KeyValueStoreError) -> Void
  ) {
    do throws(KeyValueStoreError) {
      try body()
      expect(false, operation, "an error")
    } catch {}
  }
}
