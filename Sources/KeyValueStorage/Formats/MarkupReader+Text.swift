extension MarkupReader {
  /// Reads the text of an element whose tag was read, and the element's end.
  ///
  /// Where the text is not needed, it is only checked, and an empty one is returned.
  mutating func text(
    of element: PropertyListElement, isNeeded: Bool = true
  ) throws(FormatError) -> String {
    var text: [UInt8] = []
    let start = position
    while let current {
      switch current {
      case UInt8(ascii: "<"):
        if hasPrefix("</") {
          try endTag(of: element)
          return String(decoding: text, as: UTF8.self)
        } else if hasPrefix("<![CDATA[") {
          let content = try characterData()
          if isNeeded { appendLines(content, to: &text) }
        } else if try !skipAside() {
          throw failure("<\(element.rawValue)> holds something else than text")
        }
      case UInt8(ascii: "&"):
        let scalar = try reference()
        if isNeeded { text.append(contentsOf: String(scalar).utf8) }
      default:
        let run = try plainText()
        if isNeeded { appendLines(run, to: &text) }
      }
    }
    throw failure("this <\(element.rawValue)> has no end", at: start)
  }

  private mutating func plainText() throws(FormatError) -> ArraySlice<UInt8> {
    let start = position
    while let current, current != UInt8(ascii: "<"), current != UInt8(ascii: "&") {
      if current == UInt8(ascii: ">"), bytes[start..<position].suffix(2).elementsEqual("]]".utf8) {
        throw failure("text holds ]]>", at: position - 2)
      }
      position += 1
    }
    return bytes[start..<position]
  }

  private mutating func characterData() throws(FormatError) -> ArraySlice<UInt8> {
    let start = position
    position += 9
    while !isAtEnd {
      if current == UInt8(ascii: "]"), hasPrefix("]]>") {
        let content = bytes[start + 9..<position]
        position += 3
        return content
      }
      position += 1
    }
    throw failure("this CDATA section has no end", at: start)
  }

  /// Appends text in which each end of a line becomes a line feed, as XML has it.
  private func appendLines(_ run: ArraySlice<UInt8>, to text: inout [UInt8]) {
    guard run.contains(UInt8(ascii: "\r")) else { return text.append(contentsOf: run) }
    for index in run.indices {
      if run[index] != UInt8(ascii: "\r") {
        text.append(run[index])
      } else if index + 1 == run.endIndex || run[index + 1] != UInt8(ascii: "\n") {
        text.append(UInt8(ascii: "\n"))
      }
    }
  }

  /// Reads a reference to a character or to one of XML's own entities.
  mutating func reference() throws(FormatError) -> Unicode.Scalar {
    let start = position
    position += 1
    let scalar: Unicode.Scalar?
    if current == UInt8(ascii: "#") {
      position += 1
      scalar = characterNumber().flatMap(Unicode.Scalar.init)
    } else {
      switch String(decoding: try name(), as: UTF8.self) {
      case "lt": scalar = "<"
      case "gt": scalar = ">"
      case "amp": scalar = "&"
      case "quot": scalar = "\""
      case "apos": scalar = "'"
      default: throw failure("this entity is not one of XML's own", at: start)
      }
    }
    guard current == UInt8(ascii: ";"), let scalar, MarkupText.allows(scalar) else {
      throw failure("this reference means no character that XML allows", at: start)
    }
    position += 1
    return scalar
  }

  private mutating func characterNumber() -> UInt32? {
    let isHexadecimal = current == UInt8(ascii: "x")
    if isHexadecimal { position += 1 }
    var number: UInt32?
    while let current, let digit = Character(Unicode.Scalar(current)).hexDigitValue {
      guard isHexadecimal || digit < 10 else { return nil }
      // More than any character has, but still far from overflowing.
      number = min((number ?? 0) * (isHexadecimal ? 16 : 10) + UInt32(digit), 0x110000)
      position += 1
    }
    return number
  }
}
