import TestSupport
import Testing

@testable import ValueFormats

struct BinaryPropertyListRefusalTests {
  private typealias File = BinaryPropertyListFile
  private let format = BinaryPropertyListFormat()

  private func expectRefusal(_ file: [UInt8], _ reason: String, at offset: Int) {
    #expect(throws: FormatError(reason: reason, offset: offset)) { try format.parse(file) }
  }

  @Test(arguments: [
    ("<?xml version=\"1.0\"?>", "this is XML, such as a property list in XML: open it as one", 0),
    ("<plist/>", "this is XML, such as a property list in XML: open it as one", 0),
    ("{\"a\": 1}", "this looks like JSON: open it as such", 0),
    ("{a = 1;}", "this looks like a property list in the old text format: convert it to XML", 0),
    ("text", "this is not a binary property list", 0),
    ("", "this is not a binary property list", 0),
    ("bplist01", "this is a binary property list of another version", 6),
    ("bplist", "the end of the binary property list is cut off or damaged", 6),
    ("bplist00", "the end of the binary property list is cut off or damaged", 8),
  ])
  func whatIsNoBinaryPropertyListIsRefused(_ file: String, _ reason: String, _ offset: Int) {
    expectRefusal(Array(file.utf8), reason, at: offset)
  }

  @Test func trailersAreChecked() {
    let good = File.of([0x09])
    let trailer = good.bytes.count - 32
    let reason = "the end of the binary property list is cut off or damaged"
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
      ([0x01], "an object is of a kind that is not known"),
      ([0x15], "an object is of a kind that is not known"),
      ([0x21, 0, 0], "an object is of a kind that is not known"),
      ([0x32, 0, 0, 0, 0], "an object is of a kind that is not known"),
      ([0x90], "an object is of a kind that is not known"),
      ([0xE0], "an object is of a kind that is not known"),
      ([0x11, 0], "an object is cut off"), ([0x23, 0], "an object is cut off"),
      ([0x42, 0], "an object is cut off"), ([0x61, 0], "an object is cut off"),
      ([0xA2, 1], "an object is cut off"), ([0xD1, 1], "an object is cut off"),
      ([0x4F, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], "an object is cut off"),
      ([0xDF, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], "an object is cut off"),
      (
        [0x4F, 0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
        "the count of an object is damaged"
      ),
      ([0x4F], "the count of an object is damaged"),
      ([0x4F, 0x11], "the count of an object is damaged"),
      ([0x4F, 0x20, 1], "the count of an object is damaged"),
      ([0x4F, 0x14, 0, 0, 0], "the count of an object is damaged"),
    ] as [([UInt8], String)])
  func anObjectIsRefused(_ object: [UInt8], _ reason: String) {
    let file = File.of(object)
    expectRefusal(file.bytes, reason, at: file.offset(of: 2))
  }

  @Test func placesOutsideOfTheFileAreRefused() {
    let file = File.of([0xA1, 3])
    expectRefusal(file.bytes, "an object is missing", at: file.offset(of: 2) + 1)
    for offset in [0, 7, 14, 0xFFFF] as [UInt64] {
      var bytes = File.of([0x09]).bytes
      let entry = bytes.count - 32 - 2
      bytes.replaceSubrange(entry..<entry + 2, with: File.number(offset, size: 2))
      expectRefusal(bytes, "an object is outside of the file", at: entry)
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
      let reason = "a key is not a string of valid Unicode"
      expectRefusal(file.bytes, reason, at: file.offset(of: 2))
    }
    for key in [[0x51, 0x61], [0x61, 0, 0x61], [0x71, 0x61]] as [[UInt8]] {
      let file = file([0x51, 0x62], [0x51, 0x61], key)
      expectRefusal(file.bytes, "this key occurs a second time", at: file.offset(of: 3))
    }
    expectRefusal(File(objects: [[0xA0]]).bytes, "the top is not a dictionary", at: 8)
  }

  @Test func whatHoldsItselfIsRefused() {
    let reason = "an array or a dictionary holds itself"
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
      ([[0x80, 1]], "a value is a UID", 0), ([[0xC0]], "a value is a set", 0),
      ([[0xB0]], "a value is a set", 0), ([[0x0F]], "a value is a fill byte", 0),
      ([[0x51, 0x80]], "a string is not valid Unicode", 0),
      ([[0x61, 0xD8, 0]], "a string is not valid Unicode", 0),
      ([[0x71, 0xFF]], "a string is not valid Unicode", 0),
      ([[0xA2, 1, 2], [0x09], [0x80, 1]], "a value is a UID", 2),
      ([[0xD1, 1, 1], [0x10, 1]], "a key is not a string", 1),
      (
        [[0xD2, 1, 2, 3, 3], [0x51, 0x61], [0x61, 0, 0x61], [0]],
        "this key occurs a second time", 2
      ),
    ] as [([[UInt8]], String, Int)])
  func aFragmentIsNotDecoded(_ objects: [[UInt8]], _ reason: String, _ object: Int) {
    let file = File(objects: objects)
    let error = FormatError(reason: reason, offset: file.offset(of: object))
    #expect(throws: error) { try format.decode(file.bytes[...]) }
  }
}
