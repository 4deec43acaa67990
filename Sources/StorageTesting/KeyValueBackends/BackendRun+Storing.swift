import Concurrency
import Dispatch
import FoundationEssentials
import KeyValueStorage

extension BackendRun {
  func newStorageIsEmpty() throws {
    try expect(backend.load(), [:], "load of new storage")
    try expect(other.load(), [:], "load of new storage, other backend")
    var seen: KeyValueContents?
    let contents = try backend.update { contents in
      seen = contents
      return KeyValueChanges()
    }
    try expect(contents, [:], "update of new storage")
    expect(seen?.isEmpty ?? false, "update of new storage", "a call of the closure without keys")
  }

  func updatesAreStored() throws {
    try expect(set(["a": 1, "b": 2]), ["a": 1, "b": 2], "result of update")
    try expect(backend.load(), ["a": 1, "b": 2], "load after update")
    try expect(set(["a": 3]), ["a": 3, "b": 2], "result of an update of an existing key")
    try expect(backend.load(), ["a": 3, "b": 2], "load after an update of an existing key")
  }

  func otherKeysAreKept() throws {
    try set(["a": 1, "b": 2, "c": 3, "d": 4])
    try expect(set(["b": 5]), ["a": 1, "b": 5, "c": 3, "d": 4], "result of update")
    try expect(set(["c": nil]), ["a": 1, "b": 5, "d": 4], "result of a removal")
    try expect(set(["c": nil]), ["a": 1, "b": 5, "d": 4], "result of a removal of a missing key")
    try expect(
      set(["a": nil, "e": 6, "d": 7]), ["b": 5, "d": 7, "e": 6], "result of mixed changes")
    try expect(backend.load(), ["b": 5, "d": 7, "e": 6], "load")
    try expect(set(["a": 8]), ["a": 8, "b": 5, "d": 7, "e": 6], "result of setting a removed key")
  }

  func valuesKeepTheirBytes() throws {
    let text = String(String.UnicodeScalarView((0..<0x2100).compactMap(Unicode.Scalar.init)))
    var values: [any Encodable] = [
      "", text, String(repeating: "x", count: 100_000), "e\u{301} \u{e9}", " ", "null", "👩‍👩‍👧‍👦",
      true, 0, -1, Int.min, UInt64.max, 0.1, -0.0, 1e300, Double.leastNonzeroMagnitude,
      Data(0...255), Data(), [Int](), [[1, 2], [], [3]], ["b": ["a": 1], "": [:]],
      Date(timeIntervalSinceReferenceDate: 0.123),
    ]
    values += (0..<50).map { Array(repeating: "\($0)", count: $0) }
    var encodings = try values.map { try encoded($0) }
    if backend.format == .json {
      let spellings = ["1.50", "1E3", "12345678901234567890123", "null", "{ \"b\" : 1,\"a\":2 }"]
      encodings += spellings.map { ArraySlice($0.utf8) }
    }
    try storeAll(encodings.enumerated().map { ("value \($0)", $1) })
  }

  /// Strings that implementations might alter, or might not tell apart.
  private static let keys = [
    "", " ", "a", "A", "a ", " a", "a.b", "a/b", "../a", "/", "a\nb", "a\r\nb", "a\tb", "a\0b",
    "\0", "\\", "\\n", "\"", "'", "<&>", "]]>", "%s", "$key", "#", "=", "0", "00", "null", "{}",
    "\u{7f}", "\u{85}", "\u{2028}", "\u{feff}", "\u{feff}a", "\u{202e}a", "ß", "ss", "ﬁ", "fi", "İ",
    "i", "e\u{301}", "\u{e9}", "e", "한", "\u{1112}\u{1161}\u{11ab}", "👩‍👩‍👧‍👦", "👩", "\u{10ffff}",
    "\u{fffd}", String(repeating: "k", count: 10_000),
  ]

  func keysKeepTheirBytes() throws {
    try storeAll(Self.keys.enumerated().map { ($1, try encoded($0)) })
  }

  /// Stores values together and one by one, and expects them from each backend.
  private func storeAll(_ entries: [(key: String, value: EncodedValue)]) throws {
    let expected = KeyValueContents(entries, revision: 0)
    var changes = KeyValueChanges()
    for (key, value) in entries { changes.set(key, to: value) }
    expect(try backend.update { [changes] _ in changes }, expected, "result of update")
    expect(try backend.load(), expected, "load")
    expect(try reopen().load(), expected, "load, reopened backend")
    for (key, value) in entries.prefix(100) {
      var removal = KeyValueChanges()
      removal.set(key, to: nil)
      let rest = try backend.update { [removal] _ in removal }
      expect(rest[key] == nil, "removal of \(key.debugDescription)", "no value")
      var insertion = KeyValueChanges()
      insertion.set(key, to: value)
      expect(
        try backend.update { [insertion] _ in insertion }, expected,
        "update of \(key.debugDescription)")
    }
    expect(try reopen().load(), expected, "load, reopened backend")
  }

  func equivalentKeysAreSeparate() throws {
    let composed = "caf\u{e9}", decomposed = "cafe\u{301}"
    try set([composed: 1])
    try expect(set([decomposed: 2]), [composed: 1, decomposed: 2], "result of update")
    try expect(reopen().load(), [composed: 1, decomposed: 2], "load, reopened backend")
    try expect(set([composed: nil]), [decomposed: 2], "result of a removal")
    try expect(backend.load(), [decomposed: 2], "load")
  }

  func manyKeysAreKept() throws {
    let count = 3000
    var changes = KeyValueChanges()
    for number in 0..<count { changes.set("key \(number)", to: try encoded(number)) }
    var contents = try backend.update { [changes] _ in changes }
    expect(contents.keys.count == count, "result of an update of \(count) keys", "\(count) keys")
    changes = KeyValueChanges()
    for number in stride(from: 0, to: count, by: 3) { changes.set("key \(number)", to: nil) }
    contents = try backend.update { [changes] _ in changes }
    for contents in [contents, try backend.load(), try reopen().load()] {
      let isComplete = try (0..<count).allSatisfy {
        let expected = $0.isMultiple(of: 3) ? nil : try encoded($0)
        return contents["key \($0)"] == expected
      }
      expect(
        isComplete && contents.keys.count == count - (count + 2) / 3, "\(count) keys",
        "all but the removed ones, with their values")
    }
  }

  func updateWithoutChangesWritesNothing() throws {
    try set(["a": 1])
    // A backend may be unable to tell for a moment whether a change has just been made.
    var before = try backend.load()
    let end = ContinuousClock.now + timeout
    while try backend.hasChanged(since: before.revision), .now < end {
      _ = DispatchSemaphore(value: 0).wait(until: .now + .milliseconds(10))
      before = try backend.load()
    }
    let canTell = try !backend.hasChanged(since: before.revision)
    let contents = try backend.update { _ in KeyValueChanges() }
    try expect(contents, ["a": 1], "result of an update without changes")
    expect(
      try !canTell || !backend.hasChanged(since: before.revision), "update without changes",
      "hasChanged(since:) to be false afterwards")
    try expect(reopen().load(), ["a": 1], "load, reopened backend")
  }
}
