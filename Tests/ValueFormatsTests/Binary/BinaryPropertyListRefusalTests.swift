import TestSupport
import Testing

@testable import ValueFormats

struct BinaryPropertyListRefusalTests {
  private typealias File = BinaryPropertyListFile
  private let format = BinaryPropertyListFormat()

  private func expectRefusal(_ file: [UInt8], _ reason: String, at offset: Int) {
    #expect(throws: FormatError(reason: reason, offset: offset)) { try format.parse(file) }
  }

  @Test func trailersAreChecked() {
    let good = File.of([0x09])
    let trailer = good.bytes.count - 32
    let reason = "invalid or truncated trailer"
    func expectRefusal(at offset: Int, _ change: (inout File) -> Void) {
      var file = good
      change(&file)
      self.expectRefusal(file.bytes, reason, at: offset)
    }
    for size in [0, 9, 255] {
      var bytes = good.bytes
      bytes[trailer + 6] = UInt8(size)
      self.expectRefusal(bytes, reason, at: trailer + 6)
      bytes = good.bytes
      bytes[trailer + 7] = UInt8(size)
      self.expectRefusal(bytes, reason, at: trailer + 6)
    }
    for count in [0, 4, 1 << 61, 1 << 63, .max] as [UInt64] {
      // Without objects, none can be the top.
      expectRefusal(at: trailer + (count == 0 ? 16 : 8)) { $0.count = count }
    }
    for top in [3, 1 << 40, Int.max] { expectRefusal(at: trailer + 16) { $0.top = top } }
    for end in [0, 8, UInt64(trailer) + 1, 1 << 63, .max] as [UInt64] {
      expectRefusal(at: trailer + 24) { $0.end = end }
    }
  }

  @Test(
    arguments: [
      ([0x01], "unknown object type"),
      ([0x15], "unknown object type"),
      ([0x21, 0, 0], "unknown object type"),
      ([0x32, 0, 0, 0, 0], "unknown object type"),
      ([0x90], "unknown object type"),
      ([0xE0], "unknown object type"),
      ([0x11, 0], "truncated object"), ([0x23, 0], "truncated object"),
      ([0x42, 0], "truncated object"), ([0x61, 0], "truncated object"),
      ([0xA2, 1], "truncated object"), ([0xD1, 1], "truncated object"),
      ([0x4F, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], "truncated object"),
      ([0xDF, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], "truncated object"),
      (
        [0x4F, 0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
        "invalid object count"
      ),
      ([0x4F], "invalid object count"),
      ([0x4F, 0x11], "invalid object count"),
      ([0x4F, 0x20, 1], "invalid object count"),
      ([0x4F, 0x14, 0, 0, 0], "invalid object count"),
    ] as [([UInt8], String)])
  func invalidObjectIsRefused(_ object: [UInt8], _ reason: String) {
    let file = File.of(object)
    expectRefusal(file.bytes, reason, at: file.offset(of: 2))
  }

  @Test func offsetsOutsideTheFileAreRefused() {
    let file = File.of([0xA1, 3])
    expectRefusal(file.bytes, "object reference out of range", at: file.offset(of: 2) + 1)
    for offset in [0, 7, 14, 0xFFFF] as [UInt64] {
      var bytes = File.of([0x09]).bytes
      let entry = bytes.count - 32 - 2
      bytes.replaceSubrange(entry..<entry + 2, with: File.number(offset, size: 2))
      expectRefusal(bytes, "object offset out of range", at: entry)
    }
  }

  @Test func keysMustBeDifferentStrings() {
    func file(_ keys: [UInt8]...) -> File {
      let references = (1...UInt8(keys.count)).map { $0 }
      let values = [UInt8](repeating: 0, count: keys.count).map { _ in UInt8(keys.count + 1) }
      return File(objects: [[0xD0 | UInt8(keys.count)] + references + values] + keys + [[0x09]])
    }
    for key in [[0x10, 1], [0x51, 0x80], [0x61, 0xDC, 0], [0x71, 0xC0], [0x41, 0x61], [0x00]] {
      let file = file([0x51, 0x61], key.map { UInt8($0) })
      let reason = "a key is not a valid Unicode string"
      expectRefusal(file.bytes, reason, at: file.offset(of: 2))
    }
    for key in [[0x51, 0x61], [0x61, 0, 0x61], [0x71, 0x61]] as [[UInt8]] {
      let file = file([0x51, 0x62], [0x51, 0x61], key)
      expectRefusal(file.bytes, "duplicate key", at: file.offset(of: 3))
    }
    expectRefusal(File(objects: [[0xA0]]).bytes, "the root object is not a dictionary", at: 8)
  }

  @Test func cyclicObjectIsRefused() {
    let reason = "an array or dictionary contains itself"
    var file = File.of([0xA1, 2])
    expectRefusal(file.bytes, reason, at: file.offset(of: 2))
    file = File.of([0xA1, 3], [0xC1, 4], [0xD1, 1, 2])
    expectRefusal(file.bytes, reason, at: file.offset(of: 2))
    file = File.of([0xA1, 0])
    expectRefusal(file.bytes, reason, at: 8)
    // A dictionary that is one of its own keys.
    file = File.of([0xD1, 2, 1])
    expectRefusal(file.bytes, reason, at: file.offset(of: 2))
  }

  @Test(
    arguments: [
      ([[0x80, 1]], "UIDs are not supported", 0), ([[0xC0]], "sets are not supported", 0),
      ([[0xB0]], "sets are not supported", 0), ([[0x0F]], "unexpected fill byte", 0),
      ([[0x51, 0x80]], "invalid Unicode in a string", 0),
      ([[0x61, 0xD8, 0]], "invalid Unicode in a string", 0),
      ([[0x71, 0xFF]], "invalid Unicode in a string", 0),
      ([[0xA2, 1, 2], [0x09], [0x80, 1]], "UIDs are not supported", 2),
      ([[0xD1, 1, 1], [0x10, 1]], "a key is not a valid Unicode string", 1),
      (
        [[0xD2, 1, 2, 3, 3], [0x51, 0x61], [0x61, 0, 0x61], [0]],
        "duplicate key", 2
      ),
    ] as [([[UInt8]], String, Int)])
  func invalidFragmentIsNotDecoded(_ objects: [[UInt8]], _ reason: String, _ object: Int) {
    let file = File(objects: objects)
    let error = FormatError(reason: reason, offset: file.offset(of: object))
    #expect(throws: error) { try format.decode(file.bytes[...]) }
  }
}
