import Testing

@testable import KeyValueStorage

/// Damaged files: each is refused, or is a file that is written and read back as the same.
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

  /// Whether the file was refused; throws if what was read of it does not come back.
  private func isRefused(_ file: [UInt8], _ comment: @autoclosure () -> String) throws -> Bool {
    let parsed: ParsedFile
    do throws(FormatError) {
      parsed = try format.parse(file)
    } catch {
      try #require(0...file.count ~= error.offset, "\(comment())")
      return true
    }
    let joined = format.join(parsed.entries, parsed.surroundings)
    let again = try format.parse(joined)
    try #require(
      again.entries.map(\.key) == parsed.entries.map(\.key)
        && again.entries.map(\.text) == parsed.entries.map(\.text)
        && again.entries.map(\.value) == parsed.entries.map(\.value)
        && format.join(again.entries, again.surroundings) == joined, "\(comment())")
    for entry in parsed.entries { try checkDecoding(of: entry.value, comment()) }
    return false
  }

  private func checkDecoding(of value: EncodedValue, _ comment: @autoclosure () -> String) throws {
    let tree: ValueTree
    do throws(FormatError) {
      tree = try format.decode(value)
    } catch {
      try #require(0...value.count ~= error.offset, "\(comment())")
      return
    }
    try #require(format.decode(format.encode(tree)[...]) == tree, "\(comment())")
  }

  @Test func eachPrefixIsRefused() throws {
    // Without its last line break the file is complete.
    for count in 0..<(Self.file.count - 1) {
      let isRefused = try isRefused(Array(Self.file.prefix(count)), "prefix of \(count)")
      #expect(isRefused, "prefix of \(count) bytes")
    }
    let isComplete = try !isRefused(Array(Self.file.dropLast()), "all")
    #expect(isComplete)
  }

  @Test func eachFlippedBitIsNoticedOrHarmless() throws {
    var refused = 0
    for place in Self.file.indices {
      for bit in 0..<8 {
        var file = Self.file
        file[place] ^= 1 << bit
        if try isRefused(file, "byte \(place), bit \(bit)") { refused += 1 }
      }
    }
    // Both happen: otherwise nothing was tested.
    #expect(refused > Self.file.count && refused < Self.file.count * 7)
  }

  @Test func eachReplacedByteIsNoticedOrHarmless() throws {
    for place in Self.file.indices {
      for byte in Array("{}[]\",:\\/#-+.e0u \n\0\u{7F}".utf8) + [0x80, 0xC3, 0xED, 0xF0, 0xFF] {
        var file = Self.file
        file[place] = byte
        _ = try isRefused(file, "byte \(place) as \(byte)")
      }
    }
  }

  @Test func randomBytesAreReadOrRefused() throws {
    var random = JSONRandom()
    let likely = Array("{{}}[[]]\"\"\"\"::,,\\u0189abdDtruefalsn-+.eE \n\t/".utf8)
    for number in 0..<Campaign.size(sample: 5_000, full: 1_000_000) {
      let file = (0..<random.number(0..<60)).map { _ in
        random.number(0..<20) == 0
          ? UInt8(random.number(0..<256)) : likely[random.number(0..<likely.count)]
      }
      let comment = "bytes \(number) of seed \(random.seed)"
      _ = try isRefused(file, comment)
      _ = try isRefused(Array("{\"a\":".utf8) + file + Array("}".utf8), comment)
      try checkDecoding(of: file[...], comment)
    }
  }

  @Test func mutatedFilesAreReadOrRefused() throws {
    var random = JSONRandom()
    var accepted = 0
    let count = Campaign.size(sample: 2_000, full: 300_000)
    for number in 0..<count {
      var file = Self.file
      if number % 4 == 0 {
        file = format.join(try random.file(keys: 3), FileSurroundings())
        // Some text is of thousands of characters, which makes it slow and not better.
        if file.count > 1_000 { continue }
      }
      for _ in 0..<random.number(1..<4) { mutate(&file, &random) }
      if try !isRefused(file, "file \(number) of seed \(random.seed)") { accepted += 1 }
    }
    #expect(accepted > 0 && accepted < count)
  }

  /// Removes, repeats or moves a few bytes, or puts one in.
  private func mutate(_ file: inout [UInt8], _ random: inout JSONRandom) {
    let start = random.number(0..<(file.count + 1))
    let end = random.number(start..<(min(start + 9, file.count) + 1))
    let part = Array(file[start..<end])
    switch random.number(0..<4) {
    case 0: file.removeSubrange(start..<end)
    case 1: file.insert(contentsOf: part, at: end)
    case 2: file.insert(contentsOf: part, at: random.number(0..<(file.count + 1)))
    default: file.insert(UInt8(random.number(0..<256)), at: start)
    }
  }
}
