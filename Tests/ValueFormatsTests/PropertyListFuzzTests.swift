import FoundationEssentials
import TestSupport
import Testing

@testable import ValueFormats

/// Damaged files, which are accepted or cause an error, but never a trap.
struct PropertyListFuzzTests {
  private let seed = UInt64.random(in: 0 ... .max)

  private static let formats: [any StoredFormat] = [
    XMLPropertyListFormat(), BinaryPropertyListFormat(),
  ]

  /// A small file with a value of each kind.
  private func file(_ format: any StoredFormat) throws -> [UInt8] {
    let trees: [ValueTree] = [
      .bool(true), .number(.integer(-1)), .number(.real(0.5)), .string("a<\u{e9}>\r"),
      .date(Date(timeIntervalSinceReferenceDate: 1)), .data(Data([1, 2])),
      .dictionary(["k": .array([.string(""), .null(depth: 0)]), "l": .dictionary([:])]),
    ]
    let keys = trees.indices.map { StoredKey("k\($0)") }
    let entries = try format.entries(zip(keys, trees).map { ($0, $1) })
    return format.join(entries, EnclosingText())
  }

  @Test(arguments: 0..<2)
  func eachPrefixIsRefused(_ format: Int) throws {
    let format = Self.formats[format]
    let file = try file(format)
    #expect(try format.isRead(file, "all"))
    // The XML is complete without its final line feed.
    let rest = file.last == UInt8(ascii: "\n") ? 1 : 0
    for count in 0..<file.count - rest {
      let isRead = try format.isRead(Array(file.prefix(count)), "\(count) bytes")
      #expect(!isRead, "\(count) bytes")
    }
  }

  @Test(arguments: 0..<2)
  func eachBitMayFlip(_ format: Int) throws {
    let format = Self.formats[format]
    let file = try file(format)
    var refused = 0
    for index in file.indices {
      for bit in 0..<8 {
        var damaged = file
        damaged[index] ^= 1 << bit
        if try !format.isRead(damaged, "byte \(index), bit \(bit)") { refused += 1 }
      }
    }
    #expect(refused > file.count)
  }

  @Test(arguments: 0..<2)
  func damageIsRefusedOrRead(_ format: Int) throws {
    let format = Self.formats[format]
    var random = SplitMix64(seed: seed)
    var damage = Damage(seed: seed)
    var read = 0
    for _ in 0..<Campaign.size(sample: 8, full: 1_000) {
      let file = try random.file(keys: random.number(0..<4), in: format)
      for _ in 0..<100 where try format.isRead(damage.damaged(file), "seed \(seed)") { read += 1 }
    }
    #expect(read > 0, "seed \(seed)")
  }

  @Test(arguments: 0..<2)
  func randomBytesAreRefused(_ format: Int) throws {
    let format = Self.formats[format]
    var random = SplitMix64(seed: seed)
    let (start, end) = format is XMLPropertyListFormat ? ("<plist><dict>", 0) : ("bplist00", 8)
    for _ in 0..<Campaign.size(sample: 300, full: 200_000) {
      let content = random.array(upTo: 240) { $0.byte() }
      try format.isRead(content, "seed \(seed)")
      var file = Array(start.utf8) + content
      if end > 0 {
        // A plausible trailer, so that the objects are parsed.
        let (objects, count) = (file.count, random.number(1..<20))
        file += (0..<count).map { _ in UInt8(random.number(0..<objects)) }
        file += [0, 0, 0, 0, 0, 0, 1, 1] + BinaryPropertyListFile.number(UInt64(count), size: 8)
        file += BinaryPropertyListFile.number(0, size: 8)
        file += BinaryPropertyListFile.number(UInt64(objects), size: 8)
        file[Int(file[objects])] = 0xD0 | UInt8(random.number(0..<4))
      }
      try format.isRead(file, "seed \(seed)")
    }
  }
}
