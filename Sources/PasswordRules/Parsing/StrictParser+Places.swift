extension StrictParser {
  /// Issues in their order, with their ranges in code points instead of bytes.
  func inCodePoints(_ issues: [DescriptorIssue]) -> [DescriptorIssue] {
    var (byte, codePoint) = (0, 0)
    return issues.sorted { $0.range.lowerBound < $1.range.lowerBound }.map { issue in
      codePoint += codePointCount(in: byte..<issue.range.lowerBound)
      byte = issue.range.lowerBound
      return DescriptorIssue(
        range: codePoint..<(codePoint + codePointCount(in: issue.range)), message: issue.message,
        replacement: issue.replacement)
    }
  }

  /// As many as there are bytes that do not continue one (RFC 3629).
  private func codePointCount(in range: Range<Int>) -> Int {
    bytes[range].count { $0 & 0b1100_0000 != 0b1000_0000 }
  }
}
