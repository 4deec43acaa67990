import ValueFormats

/// A stored value that does not have the type of its property, with the place of the mistake.
public struct UndecodableValue: Hashable, Sendable {
  /// The name of the store, such as the path of its file.
  public let store: String
  /// The key in the store.
  public let key: String
  /// The path of the invalid part, such as `server.ports[1]`, beginning with the key.
  ///
  /// A key that is not a plain word is in quotation marks. The middle of a long path is omitted.
  public let keyPath: String
  /// The name of the type that was requested for the key.
  public let type: String
  /// The reason as a clause whose subject is the path, such as "is a string, expected a number".
  public let reason: String
  /// The line of the invalid part, from 1; nil in a binary file or a store that is not a file.
  ///
  /// If a part is missing, the position is that of the value from which it is missing.
  public let line: Int?
  /// The column in code points, from 1; nil in the same cases as the line.
  public let column: Int?

  /// Creates a description of an undecodable value; the path is that of the key unless it is given.
  public init(
    store: String, key: String, keyPath: String? = nil, type: String, reason: String,
    line: Int? = nil, column: Int? = nil
  ) {
    self.store = store
    self.key = key
    self.keyPath = keyPath ?? "\(ValuePath([.key(key)]))"
    self.type = type
    self.reason = reason
    self.line = line
    self.column = column
  }

  init(
    _ failure: DecodingFailure, key: String, store: String, at position: TextPosition? = nil
  ) {
    self.init(
      store: store, key: key, keyPath: "\(failure.path.inside(key))", type: failure.type,
      reason: failure.reason, line: position?.line, column: position?.column)
  }

  /// The place and the reason, such as "settings.json, line 7, column 13: server.port is a string,
  /// expected a number", without advice.
  public var summary: String {
    "\(TextPosition.place(in: store, line: line, column: column)): \(keyPath) \(reason)"
  }
}

/// A key or a member that no property of the program reads.
public struct UnreadKey: Hashable, Sendable {
  /// The name of the store, such as the path of its file.
  public let store: String
  /// The path of the key, as in ``UndecodableValue/keyPath``.
  public let keyPath: String
  /// The line of the key's value, from 1; nil in a binary file or a store that is not a file.
  public let line: Int?
  /// The column in code points, from 1; nil in the same cases as the line.
  public let column: Int?
}

extension UnreadKey: CustomStringConvertible {
  /// A message with the place and the path of the key.
  public var description: String {
    """
    \(TextPosition.place(in: store, line: line, column: column)): \(keyPath) is not a setting of \
    this program. Correct its name, or remove it.
    """
  }
}
