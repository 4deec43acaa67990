import TestSupport
import Testing

@testable import ValueFormats

/// Small files that expand to huge values or are deeply nested.
struct PropertyListBombTests {
  private typealias File = BinaryPropertyListFile

  private let format = BinaryPropertyListFormat()

  /// Arrays of two elements that are both the next array.
  private func laughs(_ count: Int) -> File {
    let arrays = (0..<count).map { [0xA2, UInt8($0 + 3), UInt8($0 + 3)] as [UInt8] }
    return File(objects: [[0xD1, 1, 2], [0x51, 0x61]] + arrays + [[0x09]])
  }

  @Test func sharedArraysAreNotExpanded() throws {
    for count in [22, 23, 100, 200] {
      let parsed = try format.parse(laughs(count).bytes)
      let joined = format.join([parsed.entries[...]], parsed.surroundings)
      #expect(try format.parse(joined).entries.map(\.text) == parsed.entries.map(\.text))
      let value = try #require(parsed.entries.first).value
      if count == 22 {
        _ = try format.decode(value)
      } else {
        let reason = "more than 16000000 values after expanding shared values"
        #expect(throws: FormatError(reason: reason, offset: 0)) { try format.decode(value) }
      }
    }
  }

  @Test(arguments: [511, 512, 100_000])
  func nestingIsLimited(_ depth: Int) throws {
    let arrays = (0..<depth).map { [0xA1] + File.number(UInt64($0 + 3), size: 4) }
    let top = [0xD1] + File.number(1, size: 4) + File.number(2, size: 4)
    let file = File(
      objects: [top, [0x51, 0x61]] + arrays + [[0x09]], offsetSize: 4, referenceSize: 4)
    if depth < FormatLimits.depth {
      let value = try #require(try format.parse(file.bytes).entries.first).value
      #expect(try format.encode(format.decode(value)) == Array(value))
    } else {
      #expect(throws: FormatError.tooDeep(at: 8 + 9 + 2 + 511 * 5)) { try format.parse(file.bytes) }
    }
  }

  /// The shared object is first reached at a small depth; only the second path exceeds the limit.
  @Test func nestingIsFoundOnEachPath() throws {
    func reference(_ index: Int) -> [UInt8] { File.number(UInt64(index), size: 2) }
    func file(_ chain: Int, _ inner: Int) -> [UInt8] {
      // Object 2 holds the shared object, and the chain that ends in it.
      let shared = 3 + chain
      let chains = (0..<chain).map { number in [0xA1] + reference(number + 4) }
      let inners = (0..<inner).map { number in [0xA1] + reference(shared + number + 1) }
      let top = [0xD1] + reference(1) + reference(2)
      return File(
        objects: [top, [0x51, 0x61], [0xA2] + reference(shared) + reference(3)]
          + chains + inners + [[0x09]], referenceSize: 2
      ).bytes
    }
    _ = try format.parse(file(255, 255))
    #expect(throws: FormatError.tooDeep(at: 8 + 5 + 2 + 5 + 256 * 3)) {
      try format.parse(file(256, 255))
    }
  }

  @Test func overlappingObjectsAreRefused() throws {
    // A thousand entries of the offset table for arrays that contain one another.
    let count = 1_000
    let references = (0..<count).flatMap { _ in File.number(1, size: 2) }
    let array = BinaryObject.header(.array, count: count) + references
    var objects = [
      [0xD1] + File.number(1, size: 2) + File.number(2, size: 2), [0x51, 0x61], array,
    ]
    objects += (0..<count).map { _ in [0x09] }
    var file = File(objects: objects, referenceSize: 2).bytes
    let table = file.count - 32 - 2 * objects.count
    let contents = File(objects: objects).offset(of: 2)
    // The elements of the array are arrays that begin at its own offset.
    for number in 0..<count {
      let entry = table + 2 * (3 + number)
      file.replaceSubrange(entry..<entry + 2, with: File.number(UInt64(contents), size: 2))
      let reference = contents + array.count - 2 * count + 2 * number
      file.replaceSubrange(
        reference..<reference + 2, with: File.number(UInt64(3 + number), size: 2))
    }
    // The cycle would also be rejected, but the size is checked first.
    #expect(throws: FormatError(reason: "overlapping objects", offset: contents)) {
      try format.parse(file)
    }
  }

  @Test func copiesOfSharedValuesAreLimited() throws {
    let count = 1_000
    let references = (1...2 * count).flatMap { File.number(UInt64(min($0, count + 1)), size: 2) }
    let data = BinaryObject.header(.data, count: 100_000) + Array(repeating: 7, count: 100_000)
    let keys = (0..<count).map { [0x54] + Array(String($0 + 1_000).utf8) }
    let file = File(
      objects: [BinaryObject.header(.dictionary, count: count) + references] + keys + [data],
      offsetSize: 4, referenceSize: 2)
    let reason = "shared values would be too large when written separately for each key"
    #expect(throws: FormatError(reason: reason, offset: 8)) { try format.parse(file.bytes) }
  }
}
