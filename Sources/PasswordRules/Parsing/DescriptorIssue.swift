/// Something in a descriptor that is wrong, or that does not mean what it seems to.
public struct DescriptorIssue: Hashable, Sendable {
  /// Where it is, in Unicode code points from the beginning; empty where something is missing.
  public let range: Range<Int>
  /// What is wrong and, for an error, what was expected: one sentence without its period.
  public let message: String
  /// What to put into the place of the range, where one can tell.
  public let replacement: String?
}

/// A descriptor that is not in the language of password rules.
public struct DescriptorSyntaxError: Error, Hashable, Sendable {
  /// The first thing that is wrong.
  public let issue: DescriptorIssue
}

extension DescriptorSyntaxError: CustomStringConvertible {
  /// Where it is, what is wrong, and what to do.
  public var description: String {
    "At character \(issue.range.lowerBound + 1): \(issue)"
  }
}

extension DescriptorIssue: CustomStringConvertible {
  /// What is wrong, and what to do.
  public var description: String {
    switch replacement {
    case nil: "\(message)."
    case ""?: "\(message). Leave it out."
    case let replacement? where range.isEmpty: "\(message). Insert `\(replacement)`."
    case let replacement?: "\(message). Write `\(replacement)` instead."
    }
  }
}
