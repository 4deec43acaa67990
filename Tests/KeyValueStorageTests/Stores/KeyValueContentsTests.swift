import TestSupport
import Testing
import ValueFormats

@testable import KeyValueStorage

struct KeyValueContentsTests {
  private func contents(_ keys: [String]) -> KeyValueContents {
    KeyValueContents(keys.map { ($0, ArraySlice($0.utf8)) }, revision: 1)
  }

  /// A new chunk has 256 entries; one that exceeds 512 entries is split.
  @Test(arguments: [1, 255, 256, 257, 512, 513], [1, 255, 257, 513, 2_000])
  func chunksOfAnySizeApplyChangesAsADictionary(_ size: Int, _ count: Int) {
    var contents = contents((0..<size).map { "\($0 * 2)" })
    var expected: [String: EncodedValue] = [:]
    for key in contents.keys { expected[key] = contents[key] }
    var changes = KeyValueChanges()
    for number in 0..<count {
      let value: EncodedValue? = number % 3 == 0 ? nil : [UInt8(number % 256)]
      changes.set("\(number)", to: value)
      expected[String(number)] = value
    }
    contents = contents.applying(changes, revision: 2)
    #expect(contents.revision == 2)
    #expect(contents.keys == expected.keys.sorted())
    for key in contents.keys { #expect(contents[key] == expected[key]) }
    #expect(contents["absent"] == nil)
  }

  /// Snapshots of a random history, each compared with a dictionary and with its predecessor.
  ///
  /// The sizes are those of one chunk, of chunks around a split, and of many chunks.
  @Test(arguments: [(keys: 20, changes: 3), (600, 250), (2_000, 1), (2_000, 300), (20_000, 5_000)])
  func chunksAreSplitAndRemovedAsKeysComeAndGo(_ size: (keys: Int, changes: Int)) {
    var random = SeededGenerator(seed: UInt64(size.keys + size.changes))
    var contents = KeyValueContents([], revision: 0)
    var expected: [String: EncodedValue] = [:]
    for round in 0..<Campaign.size(sample: 8, full: 1_000) {
      let before = (contents: contents, values: expected)
      // Phases of growth and of shrinking reach the splitting and the removal of chunks.
      let removals = (round / 6).isMultiple(of: 2) ? 1 : 9
      var changes = KeyValueChanges()
      for _ in 0..<size.changes {
        let key = "\(Int.random(in: 0..<size.keys, using: &random))"
        let isRemoval = Int.random(in: 0..<10, using: &random) < removals
        let value: EncodedValue? = isRemoval ? nil : [UInt8.random(in: 0..<4, using: &random)]
        changes.set(key, to: value)
        expected[key] = value
      }
      contents = contents.applying(changes, revision: Int64(round + 1))

      #expect(contents.keys == expected.keys.sorted())
      #expect(contents.entries.map(\.key.string) == contents.keys)
      #expect(contents.count == expected.count)
      #expect(contents.isEmpty == expected.isEmpty)
      #expect(contents.entries.allSatisfy { expected[$0.key.string] == $0.value })
      let keys = Set(expected.keys).union(before.values.keys)
      #expect(keys.allSatisfy { contents[$0] == expected[$0] })
      let changed = keys.filter { expected[$0] != before.values[$0] }.sorted()
      #expect(KeyValueContents.changedKeys(before.contents, contents).map(\.string) == changed)
      #expect(KeyValueContents.changedKeys(contents, before.contents).map(\.string) == changed)
      // A snapshot that shares no memory has the same differences.
      let copy = KeyValueContents(expected.map { ($0, $1) }, revision: -1)
      #expect(KeyValueContents.changedKeys(copy, contents).isEmpty)
      #expect(KeyValueContents.changedKeys(before.contents, copy).map(\.string) == changed)
      // Later changes do not affect earlier snapshots.
      #expect(before.contents.keys == before.values.keys.sorted())
    }
  }

  /// The number of keys that a comparison looks at does not depend on the number of all keys.
  @Test func changeCopiesOnlyTheChunksOfItsKeys() {
    let original = contents((0..<100_000).map { "\($0)" })
    var changes = KeyValueChanges()
    changes.set("50000", to: [1])
    changes.set("new", to: [1])
    let changed = original.applying(changes, revision: 2)
    #expect(KeyValueContents.changedKeys(original, changed).map(\.string) == ["50000", "new"])
    #expect(changed.entryCount(notSharedWith: original) <= 2 * 512)
  }

  @Test func keysAreToldApartAndSortedByTheirBytes() {
    let keys = ["", "B", "a", "ab", "e\u{301}", "z", "\u{e9}", "\u{FFFE}", "\u{1F600}"]
    let contents = contents(keys.reversed())
    #expect(contents.keys.map { Array($0.utf8) } == keys.map { Array($0.utf8) })
    #expect(contents["e\u{301}"] == ArraySlice("e\u{301}".utf8))
    #expect(contents["\u{e9}"] == ArraySlice("\u{e9}".utf8))
  }
}

extension KeyValueContents {
  /// The number of entries whose memory is not that of an entry of another snapshot.
  fileprivate func entryCount(notSharedWith other: KeyValueContents) -> Int {
    var (count, others) = (0, Set<UInt>())
    func address(_ entry: borrowing Span<KeyValueEntry>) -> UInt {
      unsafe entry.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
    }
    for chunk in other.chunks { others.insert(address(chunk.span)) }
    for chunk in chunks where !others.contains(address(chunk.span)) { count += chunk.count }
    return count
  }
}
