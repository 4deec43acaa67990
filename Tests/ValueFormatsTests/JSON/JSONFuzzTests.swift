import TestSupport
import Testing

@testable import ValueFormats

/// Damaged files, each of which is rejected, or is written and read back unchanged.
struct JSONFuzzTests {
  private let format = JSONFormat()

  private static let file = Array(
    """
    {
      "a\\u00e9\\n" : [1.0, -0, 1e3,\t12345678901234567890 ],
      "z": {"x": "\\ud83d\\ude00\u{1F600}", "y": {}, "x": [], "": null},
      "": true,"é":false , "$": "$null:1",
      "b": "$base64:AAAA"
    }

    """.utf8)

  @Test func eachPrefixIsRefused() throws {
    // The file is complete without its last line break.
    for count in 0..<(Self.file.count - 1) {
      let isRead = try format.isRead(Array(Self.file.prefix(count)), "\(count) bytes")
      #expect(!isRead, "\(count) bytes")
    }
    #expect(try format.isRead(Array(Self.file.dropLast()), "all"))
  }

  @Test func eachFlippedBitIsNoticedOrHarmless() throws {
    var refused = 0
    for place in Self.file.indices {
      for bit in 0..<8 {
        var file = Self.file
        file[place] ^= 1 << bit
        if try !format.isRead(file, "byte \(place), bit \(bit)") { refused += 1 }
      }
    }
    // Both outcomes must occur for the test to mean anything.
    #expect(refused > Self.file.count && refused < Self.file.count * 7)
  }

  @Test func eachReplacedByteIsNoticedOrHarmless() throws {
    for place in Self.file.indices {
      for byte in Array("{}[]\",:\\/#-+.e0u \n\0\u{7F}".utf8) + [0x80, 0xC3, 0xED, 0xF0, 0xFF] {
        var file = Self.file
        file[place] = byte
        try format.isRead(file, "byte \(place) as \(byte)")
      }
    }
  }

  @Test func randomBytesAreReadOrRefused() throws {
    var random = SplitMix64()
    let likely = Array("{{}}[[]]\"\"\"\"::,,\\u0189abdDtruefalsn-+.eE \n\t/".utf8)
    for number in 0..<Campaign.size(sample: 1_600, full: 1_000_000) {
      let file = random.array(upTo: 60) { $0.once(in: 20) ? $0.byte() : $0.one(of: likely) }
      let comment = "bytes \(number) of seed \(random.seed)"
      try format.isRead(file, comment)
      try format.isRead(Array("{\"a\":".utf8) + file + Array("}".utf8), comment)
      try format.requireSameAfterEncoding(file[...], comment)
    }
  }

  @Test func damagedFilesAreReadOrRefused() throws {
    var random = SplitMix64()
    var damage = Damage(seed: random.seed)
    var read = 0
    let count = Campaign.size(sample: 600, full: 300_000)
    for number in 0..<count {
      var file = Self.file
      if number % 4 == 0 {
        file = try random.file(keys: 3, in: format)
        // Texts of thousands of characters are slow and add nothing.
        if file.count > 1_000 { continue }
      }
      let comment = "file \(number) of seed \(random.seed)"
      if try format.isRead(damage.damaged(file), comment) { read += 1 }
    }
    #expect(read > 0 && read < count)
  }
}
