/// Reads a property list in XML, or one value of it.
struct PropertyListMarkupReader {
  private(set) var markup: MarkupReader
  /// Whether values become trees, or are just checked.
  private let makesTrees: Bool

  init(_ bytes: ArraySlice<UInt8>, makesTrees: Bool) throws(FormatError) {
    markup = try MarkupReader(bytes)
    self.makesTrees = makesTrees
  }

  /// Reads a whole file with a dictionary at its top.
  mutating func file() throws(FormatError) -> ParsedFile {
    try markup.prolog()
    let bytes = markup.bytes
    var start = markup.position
    guard try startTag() == (.plist, false) else {
      throw markup.failure("a property list begins with <plist>", at: start)
    }
    try markup.skipBetweenElements()
    start = markup.position
    if markup.hasPrefix("</") { throw markup.failure("a <dict> is missing") }
    let (top, isEmpty) = try startTag()
    guard top == .dict else {
      throw markup.failure("the top is <\(top.rawValue)>, and should be <dict>", at: start)
    }
    var header = Array(bytes[..<markup.position])
    var footer: [UInt8] = []
    var entries: [KeyValueEntry] = []
    if isEmpty {
      header.removeLast(2)
      header.append(UInt8(ascii: ">"))
      footer = Array("</dict>".utf8) + bytes[markup.position...]
    } else {
      entries = try self.entries()
      footer = Array(bytes[markup.position...])
      try markup.skipBetweenElements()
      try markup.endTag(of: .dict)
    }
    try markup.skipBetweenElements()
    try markup.endTag(of: .plist)
    try requireEnd()
    return ParsedFile(
      entries: entries, surroundings: FileSurroundings(header: header, footer: footer))
  }

  /// Reads the entries of the top, up to the white space after the last one.
  private mutating func entries() throws(FormatError) -> [KeyValueEntry] {
    var entries: [KeyValueEntry] = []
    var keys: Set<StoredKey> = []
    while true {
      markup.skipWhitespace()
      let start = markup.position
      try markup.skipBetweenElements()
      if markup.hasPrefix("</") {
        markup.position = start
        return entries
      }
      let keyStart = markup.position
      let key = StoredKey(EscapedText.unescape(try self.key()))
      guard keys.insert(key).inserted else {
        throw markup.failure("this key occurs a second time", at: keyStart)
      }
      let valueStart = markup.position
      _ = try value(within: 1)
      let text = markup.bytes[start..<markup.position]
      entries.append(KeyValueEntry(key: key, text: text, valueOffset: valueStart - start))
    }
  }

  /// Reads bytes that are one value and nothing else.
  mutating func fragment() throws(FormatError) -> ValueTree {
    let tree = try value(within: 1)
    try requireEnd()
    return tree
  }

  private mutating func requireEnd() throws(FormatError) {
    try markup.skipBetweenElements()
    guard markup.isAtEnd else { throw markup.failure("something follows after the end") }
  }

  private mutating func startTag() throws(FormatError) -> (PropertyListElement, isEmpty: Bool) {
    let start = markup.position
    let tag = try markup.tag()
    guard let element = PropertyListElement(rawValue: String(decoding: tag.name, as: UTF8.self))
    else { throw markup.failure("property lists have no such element", at: start) }
    return (element, tag.isEmpty)
  }

  /// Reads a key, and what comes before its value.
  private mutating func key() throws(FormatError) -> String {
    let start = markup.position
    let (element, isEmpty) = try startTag()
    guard element == .key else { throw markup.failure("a <key> is missing", at: start) }
    let key = isEmpty ? "" : try markup.text(of: .key)
    try markup.skipBetweenElements()
    return key
  }
}

extension PropertyListMarkupReader {
  /// Reads a value, which stands inside of as many arrays and dictionaries.
  ///
  /// - Returns: The value, or any if trees are not asked for.
  private mutating func value(within depth: Int) throws(FormatError) -> ValueTree {
    let start = markup.position
    if markup.hasPrefix("</") { throw markup.failure("a value is missing") }
    let (element, isEmpty) = try startTag()
    switch element {
    case .array, .dict:
      guard depth < FormatLimits.depth else {
        throw FormatError.tooDeep(at: start - markup.bytes.startIndex)
      }
      if element == .array { return .array(isEmpty ? [] : try array(within: depth + 1)) }
      return .dictionary(isEmpty ? [:] : try dictionary(within: depth + 1))
    case .plist, .key:
      throw markup.failure(element.reason, at: start)
    case .string, .integer, .real, .date, .data, .true, .false:
      let isNeeded = makesTrees || element != .string
      let text = isEmpty ? "" : try markup.text(of: element, isNeeded: isNeeded)
      guard let value = element.value(text) else {
        throw markup.failure(element.reason, at: start)
      }
      return value
    }
  }

  private mutating func array(within depth: Int) throws(FormatError) -> [ValueTree] {
    var elements: [ValueTree] = []
    while true {
      try markup.skipBetweenElements()
      if markup.hasPrefix("</") {
        try markup.endTag(of: .array)
        return elements
      }
      let element = try value(within: depth)
      if makesTrees { elements.append(element) }
    }
  }

  private mutating func dictionary(
    within depth: Int
  ) throws(FormatError) -> [StoredKey: ValueTree] {
    var elements: [StoredKey: ValueTree] = [:]
    while true {
      try markup.skipBetweenElements()
      if markup.hasPrefix("</") {
        try markup.endTag(of: .dict)
        return elements
      }
      let start = markup.position
      let key = StoredKey(EscapedText.unescape(try key()))
      let element = try value(within: depth)
      if makesTrees, elements.updateValue(element, forKey: key) != nil {
        throw markup.failure("this key occurs a second time", at: start)
      }
    }
  }
}
