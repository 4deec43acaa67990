import TestSupport
import Testing

@testable import ValueFormats

struct BinaryPropertyListFormatTests {
  private let format = BinaryPropertyListFormat()

  @Test func fileIsWrittenByteForByte() throws {
    let entries = try [("a", .bool(true)), ("\u{e9}", .array([.number(.integer(1))]))].map {
      (key: String, tree: ValueTree) in
      format.entry(StoredKey(key), try format.encode(tree)[...])
    }
    let expected = BinaryPropertyListFile(
      objects: [
        [0xD2, 1, 2, 3, 4], [0x51, 0x61], [0x61, 0, 0xE9], [0x09], [0xA1, 5], [0x10, 1],
      ], offsetSize: 1)
    let file = format.join([entries[...]], FileSurroundings())
    #expect(file == expected.bytes)
    #expect(try format.parse(file).entries.map(\.text) == entries.map(\.text))
    #expect(try format.parse(file).entries.map(\.key) == entries.map(\.key))
    #expect(
      format.join([], FileSurroundings())
        == BinaryPropertyListFile(objects: [[0xD0]], offsetSize: 1).bytes)
  }

  @Test(arguments: [(8, 8), (3, 1), (1, 5), (7, 3)])
  func offsetsAndReferencesHaveAnySize(_ offsetSize: Int, _ referenceSize: Int) throws {
    func references(_ indices: UInt64...) -> [UInt8] {
      indices.flatMap { BinaryPropertyListFile.number($0, size: referenceSize) }
    }
    let file = BinaryPropertyListFile(
      objects: [[0x09], [0x51, 0x61], [0xD1] + references(1, 3), [0xA2] + references(0, 0)],
      top: 2, offsetSize: offsetSize, referenceSize: referenceSize)
    let parsed = try format.parse(file.bytes)
    let values = try parsed.entries.map { try format.decode($0.value) }
    #expect(values == [.array([.bool(true), .bool(true)])])
    try format.requireSameAfterJoining(parsed)
  }

  @Test func manyEntriesNeedLargerReferences() throws {
    let entries = try (0..<33_000).map {
      format.entry(StoredKey("\($0)"), try format.encode(.number(.integer(Int128($0))))[...])
    }
    let parsed = try format.parse(format.join([entries[...]], FileSurroundings()))
    #expect(parsed.entries.map(\.text) == entries.map(\.text))
    #expect(parsed.entries.map(\.key) == entries.map(\.key))
  }
}
