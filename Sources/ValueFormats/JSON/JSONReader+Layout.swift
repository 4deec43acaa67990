// Comments and the white space between the tokens of JSON.
extension JSONReader {
  /// Skips white space, and comments if they are allowed.
  mutating func skipBetweenTokens() throws(FormatError) {
    skipWhitespace()
    while allowsComments, try skipComment() { skipWhitespace() }
  }

  /// Skips a comment and returns true if one is next; the line end after `//` is not skipped.
  mutating func skipComment() throws(FormatError) -> Bool {
    guard current == UInt8(ascii: "/") else { return false }
    let start = position
    if skip(text: "//") {
      position = bytes[position...].firstIndex(where: \.isLineEnd) ?? bytes.endIndex
    } else if skip(text: "/*") {
      guard skip(past: "*/") != nil else { throw failure("unterminated comment", at: start) }
    } else {
      return false
    }
    return true
  }

  /// Divides a text of white space, comments and at most one comma, which has been read before.
  ///
  /// Everything up to the comma belongs to what is before the text, and so do comments that are the
  /// rest of the line; those on the line of the next key belong to that key. The result is the end
  /// of the first part, and the comma's index.
  func divide(_ gap: Range<Int>) -> (end: Int, comma: Int?) {
    // Most keys are on separate lines, and need no second reader.
    let next = gap.lowerBound + 1
    if next < gap.upperBound, bytes[gap.lowerBound] == UInt8(ascii: ","), bytes[next].isLineEnd {
      return (next, gap.lowerBound)
    }
    var reader = self
    reader.position = gap.lowerBound
    // The text has no errors.
    try? reader.skipBetweenTokens()
    let comma = reader.position < gap.upperBound ? reader.position : nil
    reader.position = comma.map { $0 + 1 } ?? gap.lowerBound
    let end = reader.endOfEntry { (reader) throws(FormatError) in try reader.skipComment() }
    return (end, comma)
  }

  /// Whether the input, comments and white space, ends in a comment that ends with its line.
  mutating func endsInLineComment() -> Bool {
    var isLineComment = false
    repeat {
      skipWhitespace()
      isLineComment = hasPrefix("//")
    } while (try? skipComment()) == true && !isAtEnd
    return isLineComment
  }

  /// Returns a value with each of its lines indented, as the value of an entry is; with all of them
  /// on one line if `indentation` is nil; nil if that is not possible, or too large for a file.
  mutating func arranged(
    _ indentation: ArraySlice<UInt8>?, _ lineEnd: [UInt8]
  ) -> ArraySlice<UInt8>? {
    var (result, indentations): ([UInt8], [UInt8]) = ([], [])
    var depth = 1
    while let current {
      let start = position
      switch current {
      case UInt8(ascii: "\""):
        guard (try? skipString()) != nil else { return nil }
      case UInt8(ascii: "/"):
        let isLineComment = hasPrefix("//")
        guard (try? skipComment()) == true, !isLineComment || indentation != nil else { return nil }
      case _ where current.isWhitespace:
        skipWhitespace()
        let closes = self.current == UInt8(ascii: "]") || self.current == UInt8(ascii: "}")
        if !bytes[start..<position].contains(where: \.isLineEnd) { break }
        if let indentation {
          let count = (closes ? depth - 1 : depth) * indentation.count
          if result.count + count > FormatLimits.fileSize { return nil }
          while indentations.count < count { indentations += indentation }
          result += lineEnd
          result += indentations.prefix(count)
        } else if !closes, bytes[..<start].last != UInt8(ascii: "["),
          bytes[..<start].last != UInt8(ascii: "{")
        {
          result.append(UInt8(ascii: " "))
        }
        continue
      default:
        if "[{".utf8.contains(current) { depth += 1 }
        if "]}".utf8.contains(current) { depth -= 1 }
        // The value is no JSON.
        if depth == 0 { return nil }
        position += 1
      }
      result += bytes[start..<position]
    }
    return result[...]
  }
}
