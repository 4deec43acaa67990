import FoundationEssentials
import TestSupport
import Testing

@testable import KeyValueStorage
@testable import ValueFormats

/// Damaged files, each of which is refused, or restored when written; none makes a reader trap.
struct FormatFuzzTests {
  /// Returns a small file with a value of each kind.
  private func file(_ format: KeyValueFormat) throws -> [UInt8] {
    if format == .json { return try Fixture.bytes("unusual.json") }
    let trees: [ValueTree] = [
      .bool(true), .number(.integer(-1)), .number(.real(0.5)), .string("a<\u{e9}>\r"),
      .date(Date(timeIntervalSinceReferenceDate: 1)), .data(Data([1, 2])),
      .dictionary(["k": .array([.string(""), .null(depth: 0)]), "l": .dictionary([:])]),
    ]
    let entries = try format.coding.entries(
      trees.enumerated().map { (StoredKey("k\($0.offset)"), $0.element) })
    return format.coding.join([entries[...]], FileSurroundings())
  }

  @Test(arguments: KeyValueFormat.allCases)
  func eachPrefixIsRefused(_ format: KeyValueFormat) throws {
    let file = try file(format)
    #expect(try format.coding.isRead(file, "all"))
    // A text is complete without its last line feed.
    let rest = file.last == UInt8(ascii: "\n") ? 1 : 0
    for count in 0..<file.count - rest {
      let isRead = try format.coding.isRead(Array(file.prefix(count)), "\(count) bytes")
      #expect(!isRead, "\(count) bytes")
    }
  }

  @Test(arguments: KeyValueFormat.allCases)
  func flippedBitIsRefusedOrHarmless(_ format: KeyValueFormat) throws {
    let file = try file(format)
    var refused = 0
    for index in file.indices {
      for bit in 0..<8 {
        var damaged = file
        damaged[index] ^= 1 << bit
        if try !format.coding.isRead(damaged, "byte \(index), bit \(bit)") { refused += 1 }
      }
    }
    // Both outcomes must occur for the test to mean anything.
    #expect(refused > file.count && refused < 8 * file.count)
  }

  @Test func replacedByteIsRefusedOrHarmless() throws {
    let json = try file(.json)
    for place in json.indices {
      for byte in Array("{}[]\",:\\/#-+.e0u \n\0\u{7F}".utf8) + [0x80, 0xC3, 0xED, 0xF0, 0xFF] {
        var file = json
        file[place] = byte
        try JSONFormat().isRead(file, "byte \(place) as \(byte)")
      }
    }
  }

  @Test(arguments: KeyValueFormat.allCases)
  func damagedFilesAreRefusedOrHarmless(_ format: KeyValueFormat) throws {
    var random = Campaign.generator()
    var damage = Damage(seed: Campaign.seed)
    var (read, count) = (0, 0)
    for number in 0..<Campaign.size(sample: 6, full: 2_000) {
      let keys = random.number(0..<4)
      let file =
        try number % 2 == 0 ? self.file(format) : random.file(keys: keys, in: format.coding)
      for _ in 0..<100 {
        count += 1
        if try format.coding.isRead(damage.damaged(file), "file \(count)") { read += 1 }
      }
    }
    #expect(read > 0 && read < count)
  }

  @Test func randomTextIsRefusedOrHarmless() throws {
    var random = Campaign.generator()
    let likely = Array("{{}}[[]]\"\"\"\"::,,\\u0189abdDtruefalsn-+.eE \n\t////**".utf8)
    for number in 0..<Campaign.size(sample: 1_000, full: 1_000_000) {
      let format = JSONFormat(allowsComments: number % 2 == 0)
      let file = random.array(upTo: 60) { $0.once(in: 20) ? $0.byte() : $0.one(of: likely) }
      try format.isRead(file, "text \(number)")
      try format.isRead(Array("{\"a\":".utf8) + file + Array("}".utf8), "text \(number)")
      try format.requireSameAfterEncoding(file[...], "text \(number)")
    }
  }

  @Test(arguments: [KeyValueFormat.xml, .binary])
  func randomBytesAreRefusedOrHarmless(_ format: KeyValueFormat) throws {
    var random = Campaign.generator()
    for number in 0..<Campaign.size(sample: 300, full: 200_000) {
      let content = random.array(upTo: 240) { $0.byte() }
      try format.coding.isRead(content, "bytes \(number)")
      var file = Array((format == .xml ? "<plist><dict>" : "bplist00").utf8) + content
      if format == .binary {
        // A plausible trailer, so that the objects are parsed.
        let (objects, count) = (file.count, random.number(1..<20))
        file += (0..<count).map { _ in UInt8(random.number(0..<objects)) }
        file += [0, 0, 0, 0, 0, 0, 1, 1] + BinaryPropertyListFile.number(UInt64(count), size: 8)
        file += BinaryPropertyListFile.number(0, size: 8)
        file += BinaryPropertyListFile.number(UInt64(objects), size: 8)
        file[Int(file[objects])] = 0xD0 | UInt8(random.number(0..<4))
      }
      try format.coding.isRead(file, "bytes \(number)")
    }
  }
}
