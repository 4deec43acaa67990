import FoundationEssentials
import SecretStorage
import StorageInternals
import TestSupport
import Testing

@testable import SecretMigration

/// Documents that could make a decoder trap, loop endlessly, or exhaust memory.
struct HostilePropertyListTests {
  /// Makes a binary property list of objects, with references of three bytes.
  private func propertyList(_ objects: [[UInt8]]) -> [UInt8] {
    BinaryPropertyListFile(objects: objects, offsetSize: 4, referenceSize: 3).bytes
  }

  private func number(_ value: Int, size: Int) -> [UInt8] {
    (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }

  /// Makes an array or a dictionary of many references to one object.
  private func container(_ kind: UInt8, _ count: Int, of object: Int) -> [UInt8] {
    let references = Array(repeating: number(object, size: 3), count: count).flatMap(\.self)
    return [kind | 0xf, 0x12] + number(kind == 0xd0 ? count / 2 : count, size: 4) + references
  }

  private func expectMalformed(_ bytes: [UInt8]) throws {
    try expectError(.malformed) { try KeychainItems(document: bytes, of: "file") }
  }

  /// Counts of data, text and containers, in eight bytes and in more.
  @Test(
    arguments: [0x4f, 0x5f, 0x6f, 0xaf, 0xdf] as [UInt8], [1 << 62, -1 << 63, -1, 1 << 40, 10])
  func countsBeyondTheFileAreMalformed(marker: UInt8, count: Int) throws {
    try expectMalformed(propertyList([[marker, 0x13] + number(count, size: 8)]))
    let inArray = propertyList([[0xa1, 0, 0, 1], [marker, 0x13] + number(count, size: 8)])
    try expectMalformed(inArray)
    try expectMalformed(propertyList([[marker, 0x14] + number(count, size: 16)]))
    try expectMalformed(propertyList([[marker]]))
    try expectMalformed(propertyList([[marker, 0x13, 0]]))
    try expectMalformed(propertyList([[marker, 0x20, 1]]))
  }

  /// Sizes of offsets and references, number of objects, the root, and the start of the offsets.
  @Test(arguments: [(6, 1), (7, 1), (8, 8), (16, 8), (24, 8)])
  func wrongNumberInTheTrailerIsMalformed(place: Int, size: Int) throws {
    let sound = propertyList([[0xa1, 0, 0, 1], [0x51, 0x61]])
    let position = sound.count - 32 + place
    for value in [0, 1, 2, 3, 4, 5, 7, 8, 9, 14, 15, 255, 1 << 62, -1, -1 << 63] {
      var bytes = sound
      bytes.replaceSubrange(position..<position + size, with: number(value, size: size))
      try expectMalformed(bytes)
    }
  }

  /// The count of UTF-16 text is in units of two bytes.
  @Test func textThatReachesIntoTheOffsetsIsMalformed() throws {
    for count in [2, 20, 60] {
      try expectMalformed(
        propertyList([[0xa1, 0, 0, 1], [0x6f, 0x10, UInt8(count), 0, 0x61, 0]]))
    }
    // As an item's class; the file holds as many bytes as the count, but not twice as many.
    let item: [UInt8] = [0xd1, 0, 0, 2, 0, 0, 3]
    let text: [UInt8] = [0x6f, 0x10, 100] + Array(repeating: 0x20, count: 100)
    try expectMalformed(
      propertyList([[0xa1, 0, 0, 1], item, [0x55] + Array("class".utf8), text]))
  }

  @Test func unknownKindsAreMalformed() throws {
    for marker in [0x01, 0x0f, 0x15, 0x21, 0x24, 0x30, 0x34, 0x70, 0xb0, 0xc0, 0xe0, 0xf0] {
      let content = [UInt8(marker)] + Array(repeating: 0, count: 40)
      try expectMalformed(propertyList([[0xa1, 0, 0, 1], content]))
    }
  }

  /// Arrays in arrays, and an array that contains itself.
  @Test(arguments: [60_000, 1]) func deepBinaryListIsMalformed(depth: Int) throws {
    var objects = (1..<depth).map { [0xa1] + number($0, size: 3) }
    objects.append(depth == 1 ? [0xa1, 0, 0, 0] : [0xa0])
    try expectMalformed(propertyList(objects))
  }

  @Test(arguments: ["[", #"{"a":"#, "<array>", "<key>a</key><dict>"])
  func deepTextIsMalformed(part: String) throws {
    let start = ["<array>": "<plist>", "<key>a</key><dict>": "<plist><dict>"][part] ?? ""
    let count = Campaign.size(sample: 20_000, full: 100_000)
    let bytes = Array((start + String(repeating: part, count: count)).utf8)
    try expectMalformed(bytes)
    // As the document around the items.
    try expectError(.malformed) { try KeychainExport(document: bytes, of: "file") }
  }

  @Test func nestedSharedContainersAreMalformed() throws {
    let levels = (1...15).map { container(0xa0, 10, of: $0) }
    try expectMalformed(propertyList(levels + [[0xa0]]))
    if Campaign.isFull {
      let dictionaries = (1...15).map { container(0xd0, 10, of: $0) }
      try expectMalformed(propertyList(dictionaries + [[0x51, 0x61]]))
    }
  }

  @Test func sharedDataCountsByItsReferences() throws {
    let data = [0x4f, 0x12] + number(1 << 20, size: 4) + Array(repeating: 0, count: 1 << 20)
    try expectMalformed(propertyList([container(0xa0, 64, of: 1), data]))
    // A single reference is within the limit, but no item.
    try expectMalformed(propertyList([container(0xa0, 1, of: 1), data]))
  }

  /// As by a writer that stores equal texts once.
  @Test func sharedTextsAreRead() throws {
    let keys: [[UInt8]] = ["class", "genp", "v_Data"].map { text in
      [0x50 | UInt8(text.utf8.count)] + Array(text.utf8)
    }
    let item: [UInt8] = [0xd2] + [2, 4, 3, 5].flatMap { number($0, size: 3) }
    let bytes = propertyList([container(0xa0, 1000, of: 1), item] + keys + [[0x41, 7] as [UInt8]])
    let list = try KeychainItems(document: bytes, of: "file")
    #expect(list.items.map(\.data) == Array(repeating: Data([7]), count: 1000))
  }

  @Test(arguments: [
    "<plist>", "<array><!--</array>-->", "<array><!-- > </array> -->",
    "<array><string><![CDATA[</array>]]></string>", "<dict><key><![CDATA[</dict>]]></key>",
    "<plist><array>", "<array ><?xml </array> ?>", "<array a='</array>'>", "<arrays></array>",
    "<array/ >", "<array></array/>",
  ])
  func nestingCannotBeHidden(opening: String) throws {
    let text = String(repeating: opening, count: Campaign.size(sample: 4_000, full: 100_000))
    try expectMalformed(Array(("<plist>" + text).utf8))
  }

  @Test(arguments: [
    "<", "<plist", "<!--", "<![CDATA[", "<?xml", "<?xml ?>", "<!DOCTYPE", "<a/>", "</array>",
    "<plist></plist>", "<plist/>", "<plist><array/></plist><plist><array/></plist>", "<<<>",
    "<!DOCTYPE plist [<!ENTITY a 'b'>]><plist><array/></plist>", "<array>&a;</array>",
  ])
  func otherTextIsMalformed(text: String) throws {
    try expectMalformed(Array(text.utf8))
  }

  @Test(arguments: [0xff, 0xfe, 0xf8, 0xc0, 0x80, 0xed] as [UInt8])
  func invalidUTF8IsMalformed(byte: UInt8) throws {
    for kind in ["integer", "real", "string", "date", "data"] {
      let start = "<array><dict><key>class</key><string>genp</string><key>v_Data</key><data></data>"
      let bytes = Array("\(start)<key>crtr</key><\(kind)>".utf8) + [byte] + Array("        ".utf8)
      try expectMalformed(bytes + Array("</\(kind)></dict></array>".utf8))
    }
  }

  @Test func commentsAndAttributesAreRead() throws {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://example.com/a.dtd">
      <!-- <array> -->
      <plist version="1.0"><array >
        <dict><key>class</key><string><![CDATA[genp]]></string><!-- </dict> -->
          <key>v_Data</key><data>\tBw==\n</data><key>invi</key><true />
          <key>other</key><array/><key>labl</key><string>&lt;array&gt;</string>
        </dict>
      </array></plist>
      """
    let list = try KeychainItems(document: Array(text.utf8), of: "file")
    #expect(list.items.map(\.labl?.value) == ["<array>"])
  }
}
