import TestSupport
import Testing

@testable import ValueFormats

struct BinaryPropertyListRefusalTests {
  private typealias File = BinaryPropertyListFile
  private let format = BinaryPropertyListFormat()

  private func expectRefusal(_ file: [UInt8], _ reason: String, at offset: Int) {
    #expect(throws: FormatError(reason: reason, offset: offset), "\(file)") {
      try format.parse(file)
    }
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

  /// `d10201` is a dictionary that is one of its own keys.
  @Test func invalidObjectIsRefused() throws {
    for refusal in try Refusal.all("object", in: "binary-refusals") {
      let file = File.of(try Fixture.bytes(hexadecimal: refusal.text))
      expectRefusal(file.bytes, refusal.reason, at: file.offset(of: 2) + refusal.offset)
    }
  }

  @Test func offsetsOutsideTheFileAreRefused() {
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
      expectRefusal(file.bytes, "a key is not a valid Unicode string", at: file.offset(of: 2))
    }
    for key in [[0x51, 0x61], [0x61, 0, 0x61], [0x71, 0x61]] as [[UInt8]] {
      let file = file([0x51, 0x62], [0x51, 0x61], key)
      expectRefusal(file.bytes, "duplicate key", at: file.offset(of: 3))
    }
    expectRefusal(File(objects: [[0xA0]]).bytes, "the root object is not a dictionary", at: 8)
  }

  @Test func cyclicObjectIsRefused() {
    let reason = "an array or dictionary contains itself"
    let file = File.of([0xA1, 3], [0xC1, 4], [0xD1, 1, 2])
    expectRefusal(file.bytes, reason, at: file.offset(of: 2))
    expectRefusal(File.of([0xA1, 0]).bytes, reason, at: 8)
  }
}
