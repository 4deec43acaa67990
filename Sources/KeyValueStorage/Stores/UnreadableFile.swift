/// A file that could not be parsed, with the position of the error.
public struct UnreadableFile: Hashable, Sendable {
  /// The path of the file, with symbolic links resolved.
  public let path: String
  /// The reason as a clause, such as "duplicate key".
  public let reason: String
  /// The offset from the beginning of the file in bytes.
  public let offset: Int
  /// The line, from 1; nil in a binary file.
  public let line: Int?
  /// The column in code points, from 1; nil in a binary file.
  public let column: Int?

  /// Creates a description of an unreadable file.
  public init(path: String, reason: String, offset: Int, line: Int? = nil, column: Int? = nil) {
    self.path = path
    self.reason = reason
    self.offset = offset
    self.line = line
    self.column = column
  }

  /// The position in words, for messages.
  var position: String {
    if let line, let column { return "line \(line), column \(column)" }
    return "byte \(offset)"
  }
}
