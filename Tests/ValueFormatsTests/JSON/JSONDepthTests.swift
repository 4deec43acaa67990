import Testing

@testable import ValueFormats

struct JSONDepthTests {
  private let format = JSONFormat()
  private static let reason = "arrays and dictionaries are nested more than 512 levels deep"

  private func nested(_ depth: Int, open: String, close: String) -> [UInt8] {
    Array((String(repeating: open, count: depth) + String(repeating: close, count: depth)).utf8)
  }

  /// The file's own object is one of the levels.
  @Test(arguments: [("[", "]"), ("{\"\":", "}"), ("[{\"\":", "}]")])
  func depthIsLimited(_ open: String, _ close: String) throws {
    let levels = open.utf8.filter { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }.count
    let most = (FormatLimits.depth - 1) / levels
    let missing = open.contains("{") ? Array("1".utf8) : []
    for depth in [most, most + 1, 10_000, 1_000_000] {
      var value = nested(depth, open: open, close: close)
      value.insert(contentsOf: missing, at: depth * open.utf8.count)
      let file = Array("{\"a\":".utf8) + value + Array("}".utf8)
      if depth == most {
        let entries = try format.parse(file).entries
        #expect(entries.map { Array($0.value) } == [value])
        let tree = try format.decode(value[...])
        #expect(try format.decode(try format.encode(tree)[...]) == tree)
      } else {
        // The offset at which the first excess level begins.
        var offset = most * open.utf8.count
        if most * levels + 1 < FormatLimits.depth { offset += 1 }
        #expect(throws: FormatError(reason: Self.reason, offset: offset + 5)) {
          try format.parse(file)
        }
        #expect(throws: FormatError(reason: Self.reason, offset: offset)) {
          try format.decode(value[...])
        }
      }
    }
  }

  @Test func deeperValuesAreNotWritten() throws {
    var tree = ValueTree.array([])
    for _ in 0..<(FormatLimits.depth - 2) { tree = .array([tree]) }
    _ = try format.encode(tree)
    for deeper: ValueTree in [.array([tree]), .dictionary(["": tree])] {
      #expect(throws: FormatError(reason: Self.reason, offset: 0)) { try format.encode(deeper) }
    }
  }

  @Test(arguments: ["", "-", "01", "+1", "0x10", "1 ", " 1", "NaN", "1\"", "\"", "1,2"])
  func numberOfAnotherFormatIsNotWritten(_ spelling: String) {
    #expect(throws: FormatError(reason: "a number is not valid in JSON", offset: 0)) {
      try format.encode(.number(.text(spelling)))
    }
  }
}
