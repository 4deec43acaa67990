import Concurrency
import TestSupport
import Testing

@testable import KeyValueStorage
@testable import ValueFormats

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

  /// The removed keys fill whole parts; the contents before each removal share the other parts.
  @Test(arguments: [false, true])
  func removalLeavesNoEmptyParts(_ areParsed: Bool) {
    let keys = (1000..<2500).map(String.init)
    let all = areParsed ? parsed(keys) : contents([]).applying(changes(setting: keys), revision: 1)
    let (middle, rest) = (Array(keys[450..<1050]), Array(keys[..<450] + keys[1050...]))
    func check(_ contents: KeyValueContents, has kept: [String]) {
      let values = Set(kept)
      #expect(contents.keys == kept && contents.isEmpty == kept.isEmpty)
      let wrong = keys.filter {
        contents[$0] != (values.contains($0) ? ArraySlice($0.utf8) : nil)
      }
      #expect(wrong.isEmpty)
    }
    check(all, has: keys)
    let some = all.applying(changes(removing: middle), revision: 2)
    #expect(some.parts.count < all.parts.count && !some.parts.contains(where: \.isEmpty))
    check(some, has: rest)
    check(all, has: keys)
    let none = some.applying(changes(removing: rest), revision: 3)
    #expect(none.parts == [[]])
    check(none, has: [])
    check(some, has: rest)
    check(all, has: keys)
    let one = none.applying(changes(setting: [keys[7]]), revision: 4)
    check(one, has: [keys[7]])
    check(none, has: [])
    check(all, has: keys)
  }

  /// The contents of a file with these keys.
  private func parsed(_ keys: [String]) -> KeyValueContents {
    let entries = keys.map {
      KeyValueEntry(key: StoredKey($0), text: ArraySlice($0.utf8), valueOffset: 0)
    }
    return KeyValueContents(ParsedFile(entries: entries), revision: 1)
  }

  private func changes(
    setting keys: [String] = [], removing removed: [String] = []
  ) -> KeyValueChanges {
    var changes = KeyValueChanges()
    for key in keys { changes.set(key, to: ArraySlice(key.utf8)) }
    for key in removed { changes.set(key, to: nil) }
    return changes
  }

  /// The keys of several parts are not in the order of the file.
  @Test func fileOfManyKeysKeepsItsOrder() throws {
    var random = Campaign.generator()
    let keys = (0..<1000).map(String.init).shuffled(using: &random)
    let format = JSONFormat()
    func text(_ values: [String]) -> [UInt8] {
      let members = zip(keys, values).map { "\"\($0)\": \($1)" }
      return Array("{\n\(members.joined(separator: ",\n"))\n}".utf8)
    }
    var values = keys
    var file = try format.parse(text(values))
    file.entries.sort { $0.key < $1.key }
    let all = KeyValueContents(file, revision: 1)
    #expect(all.parts.count > 1)
    #expect(format.join(all.parts, all.surroundings) == text(values))
    let changed = all.keys.prefix(3)
    var contents = all
    var changes = KeyValueChanges()
    for key in changed { changes.set(key, to: ArraySlice("true".utf8)) }
    contents.apply(changes, in: format)
    for (index, key) in keys.enumerated() where changed.contains(key) { values[index] = "true" }
    #expect(format.join(contents.parts, contents.surroundings) == text(values))
    #expect(format.join(all.parts, all.surroundings) == text(keys))
  }

  /// Another program may write the keys in another order.
  @Test func onlyPartsWithOtherValuesAreCompared() throws {
    let format = JSONFormat()
    func contents(_ keys: some Sequence<Int>, revision: Int64) throws -> KeyValueContents {
      let members = keys.map { "\"\($0)\": \($0 == 1500 ? 0 : revision / 4)" }
      let file = Array("{\(members.joined(separator: ","))}".utf8)
      return KeyValueContents(try format.parse(file), revision: revision)
    }
    var states = [StoreState(format)]
    states[0].observers.add(Observer { _, _ in }, of: nil)
    _ = states[0].adopt(try contents(1000..<2000, revision: 1), after: nil)
    for (revision, keys) in [(2, Array((1000..<2000).reversed())), (4, Array(1000..<2000))] {
      var state = states[0]
      _ = state.adopt(try contents(keys, revision: Int64(revision)), after: nil)
      states.append(state)
    }
    let observers = states[0].observers
    #expect(observers.keysToCompare(states[0], states[1]) == [])
    #expect(observers.keysToCompare(states[1], states[2]).count == 1000)
  }

  @Test func positionsStayFewWhileKeysComeAndGo() throws {
    let format = JSONFormat()
    let file = try format.parse(Array("{\"a\": 1, \"z\": 2, \"b\": 3}".utf8))
    let sorted = file.entries.sorted { $0.key < $1.key }
    var contents = KeyValueContents(
      ParsedFile(entries: sorted, surroundings: file.surroundings), revision: 1)
    for number in 0..<5000 {
      contents.apply(
        changes(setting: ["\(number)"], removing: number == 0 ? [] : ["\(number - 1)"]), in: format)
      // A file takes time for each position.
      if let last = contents.entries.map(\.position).max() { try #require(last < 2100) }
    }
    let bytes = format.join(contents.parts, contents.surroundings)
    #expect(
      String(decoding: bytes, as: UTF8.self) == "{\"a\": 1, \"z\": 2, \"b\": 3, \"4999\": 4999}")
  }

  @Test func keysAreSortedByTheirBytes() {
    let keys = ["", "B", "a", "ab", "e\u{301}", "z", "\u{e9}", "\u{FFFE}", "\u{1F600}"]
    let contents = contents(keys.reversed())
    #expect(contents.keys.map { Array($0.utf8) } == keys.map { Array($0.utf8) })
    #expect(contents["e\u{301}"] == ArraySlice("e\u{301}".utf8))
    #expect(contents["\u{e9}"] == ArraySlice("\u{e9}".utf8))
  }
}
