import TestSupport
import Testing

@testable import KeyValueStorage
@testable import ValueFormats

/// The places of parts of values in a file.
struct ValuePlaceTests {
  /// The text from the place of a part to the end of the value.
  private func rest(_ path: [ValueStep], _ value: String, _ format: KeyValueFormat) -> String {
    // A slice whose indices do not begin at 0, as in a file.
    let bytes = Array("....\(value)".utf8).dropFirst(4)
    return String(
      decoding: bytes.dropFirst(format.coding.offset(of: path, in: bytes)), as: UTF8.self)
  }

  private func key(_ name: String) -> ValueStep { .key(StoredKey(name)) }

  @Test func partOfJSONIsFound() {
    let value = #"{ "a" : [1, {"b": "[", "\u0063": null}, [] ], "d": 2}"#
    func rest(_ path: ValueStep...) -> String { self.rest(path, value, .json) }
    #expect(rest() == value)
    #expect(rest(key("a")) == #"[1, {"b": "[", "\u0063": null}, [] ], "d": 2}"#)
    #expect(rest(key("a"), .index(0)) == #"1, {"b": "[", "\u0063": null}, [] ], "d": 2}"#)
    #expect(rest(key("a"), .index(1), key("c")) == #"null}, [] ], "d": 2}"#)
    #expect(rest(key("d")) == "2}")
    // The innermost container that exists.
    #expect(rest(key("a"), .index(3)) == rest(key("a")))
    #expect(rest(key("a"), .index(2), .index(0)) == #"[] ], "d": 2}"#)
    #expect(rest(key("a"), key("b")) == rest(key("a")))
    #expect(rest(key("d"), key("b")) == "2}")
    #expect(rest(key("x"), key("d")) == value)
  }

  @Test func partOfXMLIsFound() {
    let value = """
      <dict><!-- a --><key>a</key> <array><true/><!-- b --><dict><key>b</key><string>[</string>\
      </dict></array><key>d</key><integer>2</integer></dict>
      """
    func rest(_ path: ValueStep...) -> String { self.rest(path, value, .xml) }
    #expect(rest() == value)
    #expect(rest(key("a"), .index(0)).hasPrefix("<true/>"))
    #expect(rest(key("a"), .index(1), key("b")).hasPrefix("<string>[<"))
    #expect(rest(key("d")) == "<integer>2</integer></dict>")
    #expect(rest(key("a"), .index(2)).hasPrefix("<array>"))
    #expect(rest(key("d"), key("b")).hasPrefix("<integer>"))
  }

  @Test(arguments: [KeyValueFormat.json, .xml])
  func placeOfEachPartIsItsBeginning(_ format: KeyValueFormat) throws {
    var random = Campaign.generator()
    for number in 0..<Campaign.size(sample: 100, full: 10_000) {
      let tree = random.tree()
      let value = try format.coding.encode(tree)[...]
      try requirePlaces(of: tree, [], in: value, format, "value \(number)")
    }
  }

  private func requirePlaces(
    of tree: ValueTree, _ path: [ValueStep], in value: ArraySlice<UInt8>, _ format: KeyValueFormat,
    _ comment: Comment
  ) throws {
    let rest = value.dropFirst(format.coding.offset(of: path, in: value))
    switch tree {
    case .array(let elements):
      try #require(rest.starts(with: (format == .json ? "[" : "<array").utf8), comment)
      for (index, element) in elements.enumerated() {
        try requirePlaces(of: element, path + [.index(index)], in: value, format, comment)
      }
    case .dictionary(let members):
      try #require(rest.starts(with: (format == .json ? "{" : "<dict").utf8), comment)
      for (key, member) in members {
        try requirePlaces(of: member, path + [.key(key)], in: value, format, comment)
      }
    default: try #require(rest.starts(with: format.coding.encode(tree)), comment)
    }
  }

  @Test(arguments: [KeyValueFormat.json, .xml])
  func placeOfAnInvalidValueIsItsBeginning(_ format: KeyValueFormat) {
    for text in ["", "{", "{\"a\"", "[", "<", "<dict>", "<dict><key>", "<array>", "\u{FF}"] {
      for path in [[], [key("a")], [.index(0), key("a")], [.index(1)]] {
        #expect(0...text.utf8.count ~= format.coding.offset(of: path, in: ArraySlice(text.utf8)))
      }
    }
  }

  @Test func keyOfAnEntryIsAfterItsComments() throws {
    let format = XMLPropertyListFormat()
    let file = try format.parse(
      Array("<plist><dict><!-- a --> <key>a</key><true/></dict></plist>".utf8))
    #expect(file.entries.map(format.offsetOfKey) == [11])
  }

  @Test func keyPathIsShortAndVisible() {
    let path = [key("servers"), .index(2), key("\u{1B}[31m"), key("port")]
    #expect(path.keyPath(from: "all") == "all.servers[2].\u{FFFD}[31m.port")
    let long = [ValueStep](repeating: key(String(repeating: "k", count: 1000)), count: 500)
    #expect(long.keyPath(from: "a").unicodeScalars.count == 201)
    #expect([ValueStep]().keyPath(from: "\u{202E}a\n") == "\u{FFFD}a\u{FFFD}")
    for name in ["", "a.b", "a[0]", "a b"] {
      #expect([.index(1)].keyPath(from: name) == "\"\(name)\"[1]")
    }
  }

  @Test func shownValueIsShortAndVisible() {
    let long = String(repeating: "x", count: 1000)
    #expect(ValueTree.string(long).shown == "\"\(String(repeating: "x", count: 40))…\"")
    #expect(ValueTree.string("a\u{1B}\u{2028}b").shown == "\"a\u{FFFD}\u{FFFD}b\"")
    #expect(ValueTree.number(.text("1e3")).shown == "1e3")
    #expect(ValueTree.array([.string("secret")]).shown == "an array")
  }
}
