import Testing

@testable import KeyValueStorage
@testable import ValueFormats

struct FormatDepthTests {
  /// The file's own dictionary is one of the levels.
  @Test(
    arguments: [
      (.json, "[", "", "]"), (.json, "{\"\":", "1", "}"), (.json, "[{\"\":", "1", "}]"),
      (.xml, "<array>", "", "</array>"),
    ] as [(KeyValueFormat, String, String, String)])
  func nestingIsLimited(
    _ format: KeyValueFormat, _ open: String, _ middle: String, _ close: String
  ) throws {
    let coding = format.coding
    let (start, end) =
      format == .json ? ("{\"a\":", "}") : ("<plist><dict><key>a</key>", "</dict></plist>")
    #expect(FormatError.tooDeep(at: 0).reason.contains("more than 512 levels"))
    let levels = open.hasPrefix("[{") ? 2 : 1
    let most = (FormatLimits.depth - 1) / levels
    for depth in [most, most + 1, 100_000] {
      let value =
        String(repeating: open, count: depth) + middle + String(repeating: close, count: depth)
      let file = Array((start + value + end).utf8)
      let bytes = Array(value.utf8)
      if depth == most {
        #expect(try coding.parse(file).entries.map { Array($0.value) } == [bytes])
        let tree = try coding.decode(bytes[...])
        #expect(try coding.decode(try coding.encode(tree)[...]) == tree)
      } else {
        // The offset at which the first excess level begins.
        let offset = most * open.utf8.count + FormatLimits.depth - 1 - most * levels
        #expect(throws: FormatError.tooDeep(at: start.utf8.count + offset)) {
          try coding.parse(file)
        }
        #expect(throws: FormatError.tooDeep(at: offset)) { try coding.decode(bytes[...]) }
      }
    }
  }

  @Test(arguments: KeyValueFormat.allCases)
  func deepestValueComesBackAndDeeperOnesAreRefused(_ format: KeyValueFormat) throws {
    let coding = format.coding
    let deepest = (1..<FormatLimits.depth).reduce(ValueTree.bool(true)) { tree, level in
      level % 3 == 0 ? .array([tree]) : .dictionary(["next": tree])
    }
    let entry = coding.entry("key", try coding.encode(deepest)[...])
    let parsed = try coding.parse(coding.join([[entry]], FileSurroundings()))
    #expect(try parsed.entries.map { try coding.decode($0.value) } == [deepest])
    for deeper in [.array([deepest]), .dictionary(["": deepest])] as [ValueTree] {
      #expect(throws: FormatError.tooDeep(at: 0)) { try coding.encode(deeper) }
    }
  }
}
