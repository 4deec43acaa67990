/// Looks at every tag of an XML property list.
///
/// Foundation's decoder follows the nesting until the stack is full, that of `<plist>` as well, and
/// what stands in comments must not count as the end of anything. It also traps on what is not
/// UTF-8.
package struct XMLPropertyListCheck {
  private static let containers: Set = ["array", "dict"]
  private static let leaves: Set = [
    "key", "string", "data", "date", "integer", "real", "true", "false",
  ]

  private let bytes: [UInt8]
  private let limits: PropertyListFlaw.Limits
  private var depth = 0
  private var values = 0
  private var hasBegun = false

  /// Throws unless a decoder can be trusted with the property list.
  package static func check(
    _ bytes: [UInt8], within limits: PropertyListFlaw.Limits
  ) throws(PropertyListFlaw) {
    guard String(validating: bytes, as: UTF8.self) != nil else { throw .damaged }
    var check = XMLPropertyListCheck(bytes: bytes, limits: limits)
    try check.readTags()
  }

  private init(bytes: [UInt8], limits: PropertyListFlaw.Limits) {
    self.bytes = bytes
    self.limits = limits
  }

  private mutating func readTags() throws(PropertyListFlaw) {
    var position = 0
    while let opening = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
      position = opening + 1
      if bytes[position...].starts(with: "!--".utf8) {
        position = try end(of: "-->", after: position + 3)
      } else if bytes[position...].starts(with: "![CDATA[".utf8) {
        position = try end(of: "]]>", after: position + 8)
      } else {
        let end = try end(of: ">", after: position)
        try read(tag: bytes[position..<(end - 1)])
        position = end
      }
    }
  }

  private func end(of text: String, after position: Int) throws(PropertyListFlaw) -> Int {
    let text = Array(text.utf8)
    var rest = bytes[position...]
    while let index = rest.firstIndex(of: text[0]) {
      rest = bytes[index...]
      if rest.starts(with: text) { return index + text.count }
      rest = rest.dropFirst()
    }
    throw .damaged
  }

  private mutating func read(tag: ArraySlice<UInt8>) throws(PropertyListFlaw) {
    var text = String(decoding: tag, as: UTF8.self)[...]
    if !hasBegun, text.hasPrefix("?xml") && text.hasSuffix("?") || text.hasPrefix("!DOCTYPE") {
      return
    }
    let isEnd = text.hasPrefix("/")
    let isEmpty = text.hasSuffix("/")
    if isEnd { text = text.dropFirst() } else if isEmpty { text = text.dropLast() }
    while text.last?.isWhitespace == true { text = text.dropLast() }
    if text == "plist" || text.hasPrefix("plist version=") {
      // The decoder would take one within another.
      guard isEnd || (!isEmpty && !hasBegun) else { throw .damaged }
    } else {
      let isContainer = Self.containers.contains(String(text))
      guard isContainer || Self.leaves.contains(String(text)) else { throw .damaged }
      if !isEnd { values += 1 }
      if isContainer, !isEmpty { depth += isEnd ? -1 : 1 }
    }
    hasBegun = true
    guard depth >= 0 else { throw .damaged }
    if depth > limits.depth { throw .tooDeep }
    if values > limits.values { throw .tooManyValues }
  }
}
