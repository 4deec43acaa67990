/// Takes a text format apart from its front.
protocol TextReader {
  /// Valid UTF-8, a part of a file or all of it.
  var bytes: ArraySlice<UInt8> { get }
  /// The index of the byte that is looked at.
  var position: Int { get set }
}

extension TextReader {
  var isAtEnd: Bool { position == bytes.endIndex }

  var current: UInt8? { isAtEnd ? nil : bytes[position] }

  func hasPrefix(_ text: String) -> Bool {
    bytes[position...].starts(with: text.utf8)
  }

  mutating func skipWhitespace() {
    while current?.isWhitespace == true { position += 1 }
  }

  func failure(_ reason: String, at index: Int? = nil) -> FormatError {
    FormatError(reason: reason, offset: (index ?? position) - bytes.startIndex)
  }

  static func requireUTF8(_ bytes: ArraySlice<UInt8>) throws(FormatError) {
    do {
      _ = try UTF8Span(validating: bytes.span)
    } catch {
      throw FormatError(reason: "this is not UTF-8", offset: error.byteOffsets.lowerBound)
    }
  }
}
