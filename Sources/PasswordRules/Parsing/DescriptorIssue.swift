/// An error in a descriptor, or a part whose meaning differs from its appearance.
public struct DescriptorIssue: Hashable, Sendable {
  /// The range of the text, in Unicode code points from the start; empty if text is missing.
  public let range: Range<Int>
  /// A sentence without a period that describes the problem and, for an error, the expected text.
  public let message: String
  /// The suggested replacement for the text, or nil if there is no suggestion.
  public let replacement: String?
}

extension DescriptorIssue: CustomStringConvertible {
  /// The problem and the solution.
  public var description: String {
    switch replacement {
    case nil: "\(message)."
    case ""?: "\(message). Remove it."
    case let replacement? where range.isEmpty: "\(message). Insert `\(replacement)`."
    case let replacement?: "\(message). Write `\(replacement)` instead."
    }
  }
}

extension DescriptorParser {
  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  /// Adds a warning about a range of bytes, except in the lenient mode.
  mutating func warn(
    _ message: @autoclosure () -> String, at range: Range<Int>,
    replace replacement: @autoclosure () -> String? = nil
  ) {
    if isLenient { return }
    warnings.append(
      DescriptorIssue(range: range, message: message(), replacement: replacement()))
  }

  /// Returns a syntax error about a range of bytes.
  func error(
    _ message: String, at range: Range<Int>, replace replacement: String? = nil
  ) -> PasswordRulesError {
    let issue = DescriptorIssue(range: range, message: message, replacement: replacement)
    // In the lenient mode, errors are discarded, and there can be many.
    return .syntax(isLenient ? issue : inCodePoints([issue])[0])
  }

  /// Returns an error about missing text, or about an invisible character that follows.
  func error(
    _ message: String, at offset: Int? = nil, insert text: String? = nil
  ) -> PasswordRulesError {
    let offset = offset ?? position
    return invisibleCharacterError ?? error(message, at: offset..<offset, replace: text)
  }

  /// An error if the next character is invisible, or a space that the language does not allow.
  private var invisibleCharacterError: PasswordRulesError? {
    let start = position
    let character = String(decoding: bytes[start..<min(start + 4, bytes.count)], as: UTF8.self)
    guard let scalar = character.unicodeScalars.first else { return nil }
    let properties = scalar.properties
    let isInvisible =
      [.control, .format].contains(properties.generalCategory) || properties.isWhitespace
      || scalar == "\u{FFFD}"
    guard isInvisible, !scalar.isASCII || !UInt8(ascii: scalar).isWhitespace else { return nil }
    return error(
      "\(scalar.codePoint) is not a valid space", at: start..<(start + UTF8.width(scalar)),
      replace: "")
  }

  /// Returns the issues in the order of their positions, with ranges in code points.
  func inCodePoints(_ issues: [DescriptorIssue]) -> [DescriptorIssue] {
    if issues.isEmpty { return [] }
    var (byte, codePoint) = (0, 0)
    return issues.sorted { $0.range.lowerBound < $1.range.lowerBound }.map { issue in
      codePoint += codePointCount(in: byte..<issue.range.lowerBound)
      byte = issue.range.lowerBound
      return DescriptorIssue(
        range: codePoint..<(codePoint + codePointCount(in: issue.range)), message: issue.message,
        replacement: issue.replacement)
    }
  }

  /// Returns the number of bytes in a range that begin a code point (RFC 3629).
  private func codePointCount(in range: Range<Int>) -> Int {
    bytes[range].count { $0 & 0b1100_0000 != 0b1000_0000 }
  }
}

extension Unicode.Scalar {
  /// The notation of Unicode, such as "U+00A0".
  package var codePoint: String {
    let digits = String(value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
