import FoundationEssentials
import TestSupport
import Testing

@testable import ValueFormats

/// Returns a text in UTF-16, in which only escapes are written without need.
private func wide(_ text: String) -> [UInt8] {
  text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
}

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
    let file = format.join(entries, FileSurroundings())
    #expect(file == expected.bytes)
    #expect(try format.parse(file).entries.map(\.text) == entries.map(\.text))
    #expect(try format.parse(file).entries.map(\.key) == entries.map(\.key))
    #expect(
      format.join([], FileSurroundings())
        == BinaryPropertyListFile(objects: [[0xD0]], offsetSize: 1).bytes)
  }

  @Test func fileOfFoundationIsRead() throws {
    let parsed = try format.parse(Fixture.bytes("foundation-binary.plist"))
    #expect(try format.trees(of: parsed) == FoundationFixture.expected(isBinary: true))
    try format.requireSameAfterJoining(parsed)
  }

  /// Objects that other programs may write, but that no Swift value encodes to.
  @Test(
    arguments: [
      [[0x00]], [[0x0F]], [[0x13, 0, 0, 0, 0, 0, 0, 0, 5]], [[0x12, 0, 0, 0, 5]],
      [[0x14] + Array(repeating: 0xFF, count: 16)], [[0x22, 0x3F, 0x80, 0, 0]],
      [[0x80, 7]], [[0x8F] + Array(repeating: 1, count: 16)], [[0x73, 0xE2, 0x82, 0xAC]],
      [[0x61, 0xD8, 0x00]], [[0x51, 0xFF]], [[0x6F, 0x10, 2, 0, 0x61, 0, 0x62]],
      [[0x4F, 0x13, 0, 0, 0, 0, 0, 0, 0, 1, 9]], [[0xB2, 3, 3], [0x09]], [[0xC1, 3], [0xC0]],
      [[0xA3, 3, 4, 3], [0xA1, 4], [0x51, 0x78]], [[0xD1, 3, 4], [0x10, 1], [0xAF, 0x10, 0]],
    ] as [[[UInt8]]])
  func objectsOfOtherProgramsAreKept(_ objects: [[UInt8]]) throws {
    let file = BinaryPropertyListFile(objects: [[0xD1, 1, 2], [0x51, 0x61]] + objects)
    let parsed = try format.parse(file.bytes)
    // The fragment is the value alone; its references are relative to it.
    let fragment = BinaryPropertyListFile(
      objects: objects.map { object in
        let references = object[0] >= 0xA0 && object.last! > 0 ? object.count - 1 : 0
        return object.dropLast(references) + object.suffix(references).map { $0 - 2 }
      }, offsetSize: 1)
    #expect(parsed.entries.map { Array($0.value) } == [fragment.bytes])
    try format.requireSameAfterJoining(parsed)
    let joined = format.join(parsed.entries, parsed.surroundings)
    var canonical = file
    canonical.offsetSize = 1
    #expect(joined == canonical.bytes)
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

  @Test(
    arguments: [
      ([0x00], .null(depth: 0)), ([0x08], .bool(false)), ([0x09], .bool(true)),
      ([0x10, 0xFF], .number(.integer(255))), ([0x11, 0xFF, 0xFE], .number(.integer(65_534))),
      ([0x12, 0xFF, 0xFF, 0xFF, 0xFF], .number(.integer(Int128(UInt32.max)))),
      ([0x13] + Array(repeating: 0xFF, count: 8), .number(.integer(-1))),
      ([0x14] + Array(repeating: 0xFF, count: 16), .number(.integer(-1))),
      ([0x14, 0x80] + Array(repeating: 0, count: 15), .number(.integer(.min))),
      ([0x22, 0x3F, 0xC0, 0, 0], .number(.float(1.5))),
      ([0x23, 0xC0, 0, 0, 0, 0, 0, 0, 0], .number(.real(-2))),
      ([0x33, 0x3F, 0xE0, 0, 0, 0, 0, 0, 0], .date(Date(timeIntervalSinceReferenceDate: 0.5))),
      ([0x42, 1, 2], .data(Data([1, 2]))), ([0x40], .data(Data())), ([0x50], .string("")),
      ([0x52, 0, 0x61], .string("\u{0}a")), ([0x62, 0xD8, 0x3D, 0xDE, 0x00], .string("\u{1F600}")),
      ([0x73, 0xE2, 0x82, 0xAC], .string("€")), ([0x55] + Array("$null".utf8), .string("$null")),
      ([0x65] + wide("$null"), .null(depth: 0)), ([0x67] + wide("$null:9"), .null(depth: 9)),
      ([0x61, 0, 0x61], .string("a")), ([0x63] + wide("0.5"), .string("0.5")), ([0xA0], .array([])),
      ([0xD0], .dictionary([:])),
    ] as [([UInt8], ValueTree)])
  func objectIsDecoded(_ object: [UInt8], _ tree: ValueTree) throws {
    let file = BinaryPropertyListFile(objects: [object]).bytes
    #expect(exact(try format.decode(file[...])) == exact(tree))
    let within = Array("within".utf8) + file + [0]
    #expect(exact(try format.decode(within[6..<within.count - 1])) == exact(tree))
  }

  @Test(
    arguments: [
      (.null(depth: 0), [0x65] + wide("$null")), (.string("$null"), [0x55] + Array("$null".utf8)),
      (.number(.text("1e999")), [0x65] + wide("1e999")),
      (.string("a\u{0}"), [0x52, 0x61, 0]), (.string("ä"), [0x61, 0, 0xE4]),
      (
        .string(String(repeating: "a", count: 15)),
        [0x5F, 0x10, 15] + Array(repeating: 0x61, count: 15)
      ),
      (
        .string(String(repeating: "a", count: 256)),
        [0x5F, 0x11, 1, 0] + Array(repeating: 0x61, count: 256)
      ),
      (.number(.integer(0)), [0x10, 0]), (.number(.integer(255)), [0x10, 0xFF]),
      (.number(.integer(256)), [0x11, 1, 0]), (.number(.integer(65_536)), [0x12, 0, 1, 0, 0]),
      (.number(.integer(1 << 32)), [0x13, 0, 0, 0, 1, 0, 0, 0, 0]),
      (.number(.integer(-2)), [0x13] + Array(repeating: 0xFF, count: 7) + [0xFE]),
      (.number(.integer(Int128(Int64.max))), [0x13, 0x7F] + Array(repeating: 0xFF, count: 7)),
      (
        .number(.integer(1 << 63)),
        [0x14] + Array(repeating: 0, count: 8) + [0x80] + Array(repeating: 0, count: 7)
      ),
      (
        .number(.integer(-1 << 63 - 1)),
        [0x14] + Array(repeating: 0xFF, count: 8) + [0x7F] + Array(repeating: 0xFF, count: 7)
      ),
      (.number(.text("12")), [0x10, 12]),
      (.number(.text("-0")), [0x23, 0x80, 0, 0, 0, 0, 0, 0, 0]),
      (.number(.text("-0.5")), [0x23, 0xBF, 0xE0, 0, 0, 0, 0, 0, 0]),
      (.number(.float(1)), [0x22, 0x3F, 0x80, 0, 0]),
      (.data(Data(repeating: 7, count: 15)), [0x4F, 0x10, 15] + Array(repeating: 7, count: 15)),
    ] as [(ValueTree, [UInt8])])
  func valueIsEncodedAsOneObject(_ tree: ValueTree, _ object: [UInt8]) throws {
    let offsetSize = object.count < 248 ? 1 : 2
    #expect(
      try format.encode(tree)
        == BinaryPropertyListFile(objects: [object], offsetSize: offsetSize).bytes)
  }

  @Test func manyEntriesNeedLargerReferences() throws {
    let entries = try (0..<33_000).map {
      format.entry(StoredKey("\($0)"), try format.encode(.number(.integer(Int128($0))))[...])
    }
    let file = format.join(entries, FileSurroundings())
    let parsed = try format.parse(file)
    #expect(parsed.entries.map(\.text) == entries.map(\.text))
    #expect(parsed.entries.map(\.key) == entries.map(\.key))
  }
}
