import Testing

@testable import KeyValueStorage

struct KeyValueContentsTests {
  private func contents(_ keys: [String]) -> KeyValueContents {
    KeyValueContents(keys.map { ($0, ArraySlice($0.utf8)) }, revision: 1)
  }

  /// Existing keys are changed in place; others are removed, or sorted in.
  @Test(arguments: [1, 7, 8, 100, 3000], [0, 50, 1000])
  func changesMatchADictionary(_ count: Int, ofKeys keyCount: Int) {
    var contents = contents((0..<keyCount).map { "\($0 * 2)" })
    var expected: [String: EncodedValue] = [:]
    for key in contents.keys { expected[key] = contents[key] }
    var changes = KeyValueChanges()
    for number in 0..<count {
      let value: EncodedValue? = number % 3 == 0 ? nil : [UInt8(truncatingIfNeeded: number)]
      changes.set("\(number)", to: value)
      expected[String(number)] = value
    }
    contents = contents.applying(changes, revision: 2)
    #expect(contents.revision == 2 && contents.keys == expected.keys.sorted())
    for key in contents.keys { #expect(contents[key] == expected[key]) }
    #expect(contents["absent"] == nil)
  }

  @Test func keysAreSortedByTheirBytes() {
    let keys = ["", "B", "a", "ab", "e\u{301}", "z", "\u{e9}", "\u{FFFE}", "\u{1F600}"]
    let contents = contents(keys.reversed())
    #expect(contents.keys.map { Array($0.utf8) } == keys.map { Array($0.utf8) })
    #expect(contents["e\u{301}"] == ArraySlice("e\u{301}".utf8))
    #expect(contents["\u{e9}"] == ArraySlice("\u{e9}".utf8))
  }
}
