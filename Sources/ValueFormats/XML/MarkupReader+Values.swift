// Reading the entries and values of a property list.
extension MarkupReader {
  /// Reads a whole property list as the entries of its root dictionary and the text around them.
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

  /// Reads a whole property list as one value.
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
    var keys: [StoredKey: Int] = [:]
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
      if let first = keys.updateValue(keyStart, forKey: key) {
        throw duplicateKey(at: keyStart, first: first)
      }
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

  /// Reads a value nested in `depth` containers; the result is valid only if `makesTrees` is true.
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
        let keyStart = reader.position
        let key = StoredKey(try reader.key())
        let value = try reader.value(within: depth + 1)
        if reader.makesTrees, members.updateValue(value, forKey: key) != nil {
          let first = reader.member(key, ofDictionaryAt: start, in: depth)?.key
          throw reader.duplicateKey(at: keyStart, first: first)
        }
      }
      return .dictionary(members)
    case .plist, .key:
      throw failure(element.reason, at: start)
    case .string, .integer, .real, .date, .data, .true, .false:
      let (text, isSection) =
        isEmpty ? ("", false) : try self.text(of: element, isNeeded: makesTrees)
      // An invalid text is an error of its key, not of the file.
      guard makesTrees else { return .null(depth: 0) }
      if isSection, element == .string, escaping == .escaped {
        if let depth = EscapedString.depthOfNull(text) { return .null(depth: depth) }
        return .string(EscapedString.forbidden(text) ?? text)
      }
      guard let value = element.value(text) else {
        throw failure(element.reason, at: start)
      }
      // Foundation writes and reads a `Double`, and also writes `<real>5</real>`.
      if escaping == .plain, element == .real, case .number(.text(let text)) = value,
        let double = Double(text)
      {
        return .number(.real(double))
      }
      return value
    }
  }

  /// Returns the positions of a key and its value in a dictionary; nil if the key is missing.
  private func member(
    _ name: StoredKey, ofDictionaryAt start: Int, in depth: Int
  ) -> (key: Int, value: Int)? {
    var (reader, found) = (self, (key: Int, value: Int)?.none)
    reader.position = start
    // An error ends the search.
    try? reader.search(.dict, depth) { (reader) throws(FormatError) in
      let keyStart = reader.position
      if StoredKey(try reader.key()) == name {
        found = (keyStart, reader.position)
        throw .endOfSearch
      }
      _ = try reader.value(within: depth + 1)
    }
    return found
  }

  /// Moves to a part of the value that is next; returns false if there is none.
  mutating func move(to step: ValueStep, within depth: Int) -> Bool {
    var found: Int?
    switch step {
    case .key(let key): found = member(key, ofDictionaryAt: position, in: depth)?.value
    case .index(let index):
      var (reader, next) = (self, 0)
      // An error ends the search.
      try? reader.search(.array, depth) { (reader) throws(FormatError) in
        if next == index {
          found = reader.position
          throw .endOfSearch
        }
        next += 1
        _ = try reader.value(within: depth + 1)
      }
    }
    if let found { position = found }
    return found != nil
  }

  /// Reads the container that is next, if it is of this kind; a closure reads each element.
  private mutating func search(
    _ container: PropertyListElement, _ depth: Int,
    element: (inout MarkupReader) throws(FormatError) -> Void
  ) throws(FormatError) {
    let start = position
    let (found, isEmpty) = try startTag()
    if found == container {
      try content(of: container, isEmpty, from: start, depth, element: element)
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
