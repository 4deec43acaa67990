import TestSupport

@testable import ValueFormats

/// A random JSON file in which comments, white space and commas are wherever they may be.
struct CommentedFile {
  private(set) var text = ""
  /// The keys in their order, and the ranges of their values in the text's bytes.
  private(set) var values: [(key: String, range: Range<Int>)] = []

  init(using random: inout SeededGenerator) {
    if random.once(in: 8) { text = "\u{FEFF}" }
    append(random.gap() + "{")
    let keys = ["a", "b", "c", "\u{e9}", "\""].shuffled(using: &random)
    for key in keys.prefix(random.number(0..<5)) {
      if !values.isEmpty { append(",") }
      append(random.gap() + (key == "\"" ? #""\u0022""# : "\"\(key)\""))
      append(random.gap() + ":" + random.gap())
      let start = text.utf8.count
      append(random.commentedValue())
      values.append((key, start..<text.utf8.count))
      append(random.gap())
    }
    if !values.isEmpty, random.once(in: 3) { append(",") }
    append(random.gap() + "}" + random.gap())
  }

  private mutating func append(_ part: String) { text += part }

  var bytes: [UInt8] { Array(text.utf8) }

  func value(_ range: Range<Int>) -> [UInt8] { Array(bytes[range]) }
}

extension SeededGenerator {
  /// White space and comments, which have what would end a token or begin another comment.
  fileprivate mutating func gap() -> String {
    array(upTo: 3) {
      $0.one(of: [
        "", " ", "\n", "\r\n", "\t", "\n  ", "/* } , \" // */", "// ] , \" /*\n", "//\r\n", "/**/",
        "/*\n*/\n", "// */\r", "/***/",
      ])
    }
    .joined()
  }

  fileprivate mutating func commentedValue(depth: Int = 2) -> String {
    switch number(0..<(depth > 0 ? 5 : 3)) {
    case 0: return one(of: ["1", "-2.5e3", "null", "true"])
    case 1: return #""// , } /* \" */""#
    case 2: return "\"\u{e9}\""
    case 3: return "[" + elements(depth) { _, _ in "" } + "]"
    default: return "{" + elements(depth) { "\"\($0)\"\($1.gap()):\($1.gap())" } + "}"
    }
  }

  private mutating func elements(
    _ depth: Int, key: (Int, inout SeededGenerator) -> String
  ) -> String {
    var text = ""
    for index in 0..<number(0..<3) {
      if index > 0 { text += "," }
      text += gap() + key(index, &self) + commentedValue(depth: depth - 1) + gap()
      if index == 1, once(in: 2) { text += "," + gap() }
    }
    return text + (text.isEmpty ? gap() : "")
  }
}
