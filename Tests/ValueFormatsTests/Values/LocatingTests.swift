import TestSupport
import Testing

@testable import ValueFormats

/// The offsets of nested values in an encoded value.
struct LocatingTests {
  private static func path(_ components: ValuePath.Component...) -> ValuePath {
    ValuePath(components)
  }

  private static let paths = [
    path(), path(.key("a")), path(.key("a"), .index(1)), path(.key("a"), .index(1), .key("b")),
    path(.key("a"), .index(7), .key("b")), path(.key("\u{e9}")), path(.key("none"), .key("a")),
    path(.index(0)),
  ]

  private func texts(_ text: String, _ format: some StoredFormat) throws -> [String] {
    let bytes = Array(text.utf8)
    let found = PathNode(Self.paths)
    // A slice whose indices do not begin at 0.
    try format.locate(found, in: ([0, 0] + bytes)[2...])
    return try Self.paths.map { path in
      String(decoding: bytes[try #require(found.offset(of: path))...].prefix(9), as: UTF8.self)
    }
  }

  @Test func ofJSON() throws {
    let text = #"{"x": [[{}]], "a" : [ 1, {"c": 1, "b": "B"}], "e\u0301": 2, "z": null}"#
    #expect(
      try texts(text, JSONFormat()) == [
        #"{"x": [[{"#, #"[ 1, {"c""#, #"{"c": 1, "#, #""B"}], "e"#, #"[ 1, {"c""#, "2, \"z\": n",
        #"{"x": [[{"#, #"{"x": [[{"#,
      ])
  }

  @Test func ofXML() throws {
    let text = """
      <dict><key>x</key><array/><!-- a --><key>a</key> <array><true/> <!-- 1 --> <dict>\
      <key>c</key><array></array><key>b</key> <string>B</string></dict></array>\
      <key>e&#x301;</key><real>2</real></dict>
      """
    #expect(
      try texts(text, XMLPropertyListFormat()) == [
        "<dict><ke", "<array><t", "<dict><ke", "<string>B", "<array><t", "<real>2</", "<dict><ke",
        "<dict><ke",
      ])
  }

  @Test func pathsAreShownWithQuotedKeysAndBounded() {
    #expect("\(Self.path(.key("server"), .key("ports"), .index(1)))" == "server.ports[1]")
    #expect("\(Self.path(.key("a.b"), .key(""), .key("é"), .key("x\ny")))" == #""a.b"."".é."x\ny""#)
    let long = ValuePath(Array(repeating: .key(String(repeating: "k", count: 100)), count: 500))
    #expect("\(long)".count == 301)
  }

  @Test func workIsLinear() {
    expectLinear("members", from: 500) { count in
      Array("{\((0..<count).map { "\"k\($0)\": [\($0)]" }.joined(separator: ","))}".utf8)
    } _: { bytes in
      let count = bytes.count { $0 == UInt8(ascii: "[") }
      let paths = (0..<count).map { Self.path(.key("k\($0)"), .index(0)) }
      let found = PathNode(paths)
      do throws(FormatError) {
        try JSONFormat().locate(found, in: bytes[...])
      } catch {
        Issue.record(error)
      }
      #expect(paths.allSatisfy { found.offset(of: $0) ?? 0 > 1 })
    }
    expectLinear("nested", from: 500 / 16) { count in
      Array((String(repeating: "[", count: count) + String(repeating: "]", count: count)).utf8)
    } _: { bytes in
      let found = PathNode([ValuePath(Array(repeating: .index(0), count: bytes.count / 2))])
      do throws(FormatError) {
        try JSONFormat().locate(found, in: bytes[...])
      } catch {
        Issue.record(error)
      }
    }
  }
}
