// The values of a property list, and its entries.
extension MarkupReader {
  mutating func file() throws(FormatError) -> ParsedFile {
    try skipHeader()
    let start = position
    if hasPrefix("</") { throw failure("expected <dict>") }
    let (root, isEmpty) = try startTag()
    guard root == .dict else {
      throw failure("the root element must be <dict>, not <\(root.rawValue)>", at: start)
    }
    var header = Array(bytes[..<position])
    var footer: [UInt8] = []
    var entries: [KeyValueEntry] = []
    if isEmpty {
      header.removeLast(2)
      header.append(UInt8(ascii: ">"))
      footer = Array("</dict>".utf8) + bytes[position...]
    } else {
      entries = try self.entries()
      footer = Array(bytes[position...])
      try skipBetweenElements()
      try endTag(of: .dict)
    }
    try skipFooter()
    return ParsedFile(
      entries: entries, surroundings: FileSurroundings(header: header, footer: footer))
  }

  mutating func document() throws(FormatError) -> ValueTree {
    try skipHeader()
    let tree = try value(within: 0)
    try skipFooter()
    return tree
  }

  private mutating func skipHeader() throws(FormatError) {
    try skipProlog()
    let start = position
    guard try startTag() == (.plist, false) else {
      throw failure("expected <plist>", at: start)
    }
    try skipBetweenElements()
  }

  private mutating func skipFooter() throws(FormatError) {
    try skipBetweenElements()
    try endTag(of: .plist)
    try requireEnd()
  }

  /// Reads the entries of the root dictionary, up to the white space after the last one.
  private mutating func entries() throws(FormatError) -> [KeyValueEntry] {
    var entries: [KeyValueEntry] = []
    var keys: Set<StoredKey> = []
    while true {
      skipWhitespace()
      let start = position
      try skipBetweenElements()
      if hasPrefix("</") {
        position = start
        return entries
      }
      let keyStart = position
      let key = StoredKey(try self.key())
      guard keys.insert(key).inserted else { throw failure("duplicate key", at: keyStart) }
      let valueStart = position
      _ = try value(within: 1)
      let text = bytes[start..<position]
      entries.append(KeyValueEntry(key: key, text: text, valueOffset: valueStart - start))
    }
  }

  /// Reads a single value, which must be the whole input.
  mutating func fragment() throws(FormatError) -> ValueTree {
    let tree = try value(within: 1)
    try requireEnd()
    return tree
  }

  private mutating func requireEnd() throws(FormatError) {
    try skipBetweenElements()
    guard isAtEnd else { throw failure("unexpected data after the end") }
  }

  /// Reads the start tag, or the empty-element tag such as `<true/>`, which must be next.
  private mutating func startTag() throws(FormatError) -> (PropertyListElement, isEmpty: Bool) {
    let start = position
    guard skip("<") else {
      throw failure(isAtEnd ? "unexpected end of input" : "unexpected text between elements")
    }
    let name = try name()
    if current != UInt8(ascii: ">") { _ = try attributes() }
    let isEmpty = skip("/")
    guard skip(">") else { throw failure("unterminated tag", at: start) }
    guard let element = PropertyListElement(rawValue: name) else {
      throw failure("element not allowed in a property list", at: start)
    }
    return (element, isEmpty)
  }

  /// Reads a key, and skips everything before its value.
  private mutating func key() throws(FormatError) -> String {
    let start = position
    let (element, isEmpty) = try startTag()
    guard element == .key else { throw failure("expected <key>", at: start) }
    let (key, isSection) = isEmpty ? ("", false) : try text(of: .key)
    try skipBetweenElements()
    guard isSection, escaping == .escaped else { return key }
    return EscapedString.forbidden(key) ?? key
  }

  /// Reads a value nested in `depth` containers; only `makesTrees` makes the result meaningful.
  private mutating func value(within depth: Int) throws(FormatError) -> ValueTree {
    let start = position
    if hasPrefix("</") { throw failure("expected a value") }
    let (element, isEmpty) = try startTag()
    switch element {
    case .array:
      var elements: [ValueTree] = []
      try content(of: .array, isEmpty, from: start, depth) { (reader) throws(FormatError) in
        let element = try reader.value(within: depth + 1)
        if reader.makesTrees { elements.append(element) }
      }
      return .array(elements)
    case .dict:
      var members: [StoredKey: ValueTree] = [:]
      try content(of: .dict, isEmpty, from: start, depth) { (reader) throws(FormatError) in
        let start = reader.position
        let key = StoredKey(try reader.key())
        let value = try reader.value(within: depth + 1)
        if reader.makesTrees, members.updateValue(value, forKey: key) != nil {
          throw reader.failure("duplicate key", at: start)
        }
      }
      return .dictionary(members)
    case .plist, .key: throw failure(element.reason, at: start)
    case .string, .integer, .real, .date, .data, .true, .false:
      let (text, isSection) = isEmpty ? ("", false) : try self.text(of: element)
      // An invalid text is an error of its key, not of the file.
      guard makesTrees else { return .null(depth: 0) }
      if isSection, element == .string, escaping == .escaped {
        if let depth = EscapedString.depthOfNull(text) { return .null(depth: depth) }
        return .string(EscapedString.forbidden(text) ?? text)
      }
      guard let value = element.value(text) else { throw failure(element.reason, at: start) }
      // Foundation writes and reads a `Double`, and also writes `<real>5</real>`.
      if escaping == .plain, element == .real, case .number(.text(let text)) = value,
        let double = Double(text)
      {
        return .number(.real(double))
      }
      return value
    }
  }

  /// Reads the content and the end tag of a container; a closure reads each element.
  private mutating func content(
    of container: PropertyListElement, _ isEmpty: Bool, from start: Int, _ depth: Int,
    element: (inout MarkupReader) throws(FormatError) -> Void
  ) throws(FormatError) {
    try FormatError.checkDepth(depth, at: start - bytes.startIndex)
    if isEmpty { return }
    while true {
      try skipBetweenElements()
      if hasPrefix("</") { return try endTag(of: container) }
      try element(&self)
    }
  }
}

/// The notation of numbers in an XML property list.
enum PropertyListNumber {
  /// Parses decimal digits, or `0x` and hexadecimal digits.
  static func integer(_ text: Substring) -> StoredNumber? {
    guard let (digits, radix) = digits(of: text) else { return nil }
    let sign = text.utf8.first == UInt8(ascii: "-") ? "-" : ""
    return Int128(sign + Substring(digits), radix: radix).map(StoredNumber.integer)
      ?? .text(String(text))
  }

  private static func digits(of text: Substring) -> (Substring.UTF8View, radix: Int)? {
    var digits = text.utf8.withoutSign
    let isHexadecimal = digits.starts(with: "0x".utf8) || digits.starts(with: "0X".utf8)
    if isHexadecimal { digits = digits.dropFirst(2) }
    guard !digits.isEmpty,
      digits.allSatisfy({ isHexadecimal ? $0.hexadecimalDigit != nil : $0.isDigit })
    else { return nil }
    return (digits, isHexadecimal ? 16 : 10)
  }

  /// Parses the text of `<real>`: a decimal number, `nan`, or an infinity.
  static func real(_ text: Substring) -> StoredNumber? {
    // `Double` also accepts hexadecimal numbers and other names of non-finite numbers.
    if text.utf8.allSatisfy({ $0.isDigit || "+-.eE".utf8.contains($0) }) {
      return Double(text).map { _ in .text(String(text)) }
    }
    switch text.lowercased() {
    case "nan", "+nan", "-nan": return .real(.nan)
    case "inf", "+inf", "infinity", "+infinity": return .real(.infinity)
    case "-inf", "-infinity": return .real(-.infinity)
    default: return nil
    }
  }

  /// Converts a number from the notation of another format.
  static func number(_ number: StoredNumber) throws(FormatError) -> StoredNumber {
    guard case .text(let text) = number else { return number }
    guard let number = integer(text[...]) ?? real(text[...]) else {
      throw FormatError(reason: "a number is not valid in a property list", offset: 0)
    }
    // An integer cannot represent -0.
    let isNegativeZero = number == .integer(0) && text.utf8.first == UInt8(ascii: "-")
    return isNegativeZero ? .real(-0.0) : number
  }

  static func text(ofReal value: Double) -> String {
    if value.isNaN { return "nan" }
    if value.isInfinite { return value < 0 ? "-infinity" : "+infinity" }
    return value.description
  }
}
