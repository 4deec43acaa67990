/// An error in a descriptor, or a part whose meaning differs from its appearance.
public struct DescriptorIssue: Hashable, Sendable {
  /// The range of the text, in Unicode code points from the start; empty if text is missing.
  public let range: Range<Int>
  /// A sentence without a period that describes the problem and, for an error, the expected text.
  public let message: String
  /// The suggested replacement for the text, or nil if there is no suggestion.
  public let replacement: String?
}

/// A syntax error in a descriptor.
public struct DescriptorSyntaxError: Error, Hashable, Sendable {
  /// The first error in the descriptor.
  public let issue: DescriptorIssue
}

extension DescriptorSyntaxError: CustomStringConvertible {
  /// The position, the problem, and the solution.
  public var description: String { "At character \(issue.range.lowerBound + 1): \(issue)" }
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
