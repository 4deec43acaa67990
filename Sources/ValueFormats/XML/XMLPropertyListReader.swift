/// A reader of an XML property list, or of a single value in one.
struct XMLPropertyListReader {
  private(set) var xml: XMLReader
  /// Whether values are built as trees, or only validated.
  private let makesTrees: Bool
  private let escaping: StringEscaping

  init(
    _ bytes: ArraySlice<UInt8>, makesTrees: Bool, _ escaping: StringEscaping = .escaped
  ) throws(FormatError) {
    xml = try XMLReader(bytes)
    self.makesTrees = makesTrees
    self.escaping = escaping
  }

  /// Reads a file whose root value is a dictionary.
  mutating func file() throws(FormatError) -> ParsedFile {
    try skipHeader()
    let bytes = xml.bytes
    let start = xml.position
    if xml.hasPrefix("</") { throw xml.failure("expected <dict>") }
    let (root, isEmpty) = try startTag()
    guard root == .dict else {
      throw xml.failure("the root element must be <dict>, not <\(root.rawValue)>", at: start)
    }
    var header = Array(bytes[..<xml.position])
    var footer: [UInt8] = []
    var entries: [KeyValueEntry] = []
    if isEmpty {
      header.removeLast(2)
      header.append(UInt8(ascii: ">"))
      footer = Array("</dict>".utf8) + bytes[xml.position...]
    } else {
      entries = try self.entries()
      footer = Array(bytes[xml.position...])
      try xml.skipBetweenElements()
      try xml.endTag(of: .dict)
    }
    try skipFooter()
    return ParsedFile(
      entries: entries, enclosingText: EnclosingText(header: header, footer: footer))
  }

  /// Reads a file with any root value.
  mutating func document() throws(FormatError) -> ValueTree {
    try skipHeader()
    let tree = try value(within: 0)
    try skipFooter()
    return tree
  }

  /// Skips everything before the root value.
  private mutating func skipHeader() throws(FormatError) {
    try xml.skipProlog()
    let start = xml.position
    guard try startTag() == (.plist, false) else {
      throw xml.failure("expected <plist>", at: start)
    }
    try xml.skipBetweenElements()
  }

  /// Skips everything after the root value.
  private mutating func skipFooter() throws(FormatError) {
    try xml.skipBetweenElements()
    try xml.endTag(of: .plist)
    try requireEnd()
  }

  /// Reads the entries of the root dictionary, up to the white space after the last one.
  private mutating func entries() throws(FormatError) -> [KeyValueEntry] {
    var entries: [KeyValueEntry] = []
    var keys: Set<StoredKey> = []
    while true {
      xml.skipWhitespace()
      let start = xml.position
      try xml.skipBetweenElements()
      if xml.hasPrefix("</") {
        xml.position = start
        return entries
      }
      let keyStart = xml.position
      let key = StoredKey(try self.key())
      guard keys.insert(key).inserted else { throw xml.failure("duplicate key", at: keyStart) }
      let valueStart = xml.position
      _ = try value(within: 1)
      let text = xml.bytes[start..<xml.position]
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
    try xml.skipBetweenElements()
    guard xml.isAtEnd else { throw xml.failure("unexpected data after the end") }
  }

  private mutating func startTag() throws(FormatError) -> (PropertyListElement, isEmpty: Bool) {
    let start = xml.position
    let (name, isEmpty) = try xml.tag()
    guard let element = PropertyListElement(rawValue: name) else {
      throw xml.failure("element not allowed in a property list", at: start)
    }
    return (element, isEmpty)
  }

  /// Reads a key, and skips everything before its value.
  private mutating func key() throws(FormatError) -> String {
    let start = xml.position
    let (element, isEmpty) = try startTag()
    guard element == .key else { throw xml.failure("expected <key>", at: start) }
    let key = isEmpty ? "" : try xml.text(of: .key)
    try xml.skipBetweenElements()
    return escaping.unescaped(key)
  }

  /// Reads a value nested in `depth` containers; only `makesTrees` makes the result meaningful.
  private mutating func value(within depth: Int) throws(FormatError) -> ValueTree {
    let start = xml.position
    if xml.hasPrefix("</") { throw xml.failure("expected a value") }
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
        let start = reader.xml.position
        let key = StoredKey(try reader.key())
        let value = try reader.value(within: depth + 1)
        if reader.makesTrees, members.updateValue(value, forKey: key) != nil {
          throw reader.xml.failure("duplicate key", at: start)
        }
      }
      return .dictionary(members)
    case .plist, .key: throw xml.failure(element.reason, at: start)
    case .string, .integer, .real, .date, .data, .true, .false:
      let isNeeded = makesTrees || element != .string
      let text = isEmpty ? "" : try xml.text(of: element, isNeeded: isNeeded)
      guard let value = element.value(text, escaping) else {
        throw xml.failure(element.reason, at: start)
      }
      return value
    }
  }

  /// Skips a value nested in `depth` containers, and records the offsets of values inside it.
  mutating func locate(_ node: PathNode, within depth: Int) throws(FormatError) {
    let start = xml.position
    node.found(at: start - xml.bytes.startIndex)
    var inside = self
    let (element, isEmpty) = node.children.isEmpty ? (.string, true) : try inside.startTag()
    switch element {
    case .dict:
      try inside.content(of: .dict, isEmpty, from: start, depth) { (reader) throws(FormatError) in
        let child = node.children[.key(try reader.key())]
        if let child { return try reader.locate(child, within: depth + 1) }
        _ = try reader.value(within: depth + 1)
      }
    case .array:
      var index = 0
      try inside.content(of: .array, isEmpty, from: start, depth) { (reader) throws(FormatError) in
        defer { index += 1 }
        if let child = node.children[.index(index)] {
          return try reader.locate(child, within: depth + 1)
        }
        _ = try reader.value(within: depth + 1)
      }
    default:
      inside = self
      _ = try inside.value(within: depth)
    }
    self = inside
  }

  /// Reads the content and the end tag of a container; a closure reads each element.
  private mutating func content(
    of container: PropertyListElement, _ isEmpty: Bool, from start: Int, _ depth: Int,
    element: (inout XMLPropertyListReader) throws(FormatError) -> Void
  ) throws(FormatError) {
    try FormatError.checkDepth(depth, at: start - xml.bytes.startIndex)
    if isEmpty { return }
    while true {
      try xml.skipBetweenElements()
      if xml.hasPrefix("</") { return try xml.endTag(of: container) }
      try element(&self)
    }
  }
}
