import ValueFormats

/// A stored value that does not have the type with which it is read.
///
/// For a store with a file, ``line`` and ``column`` are those of the invalid part at the time when
/// the store found it.
public struct UndecodableValue: Hashable, Sendable {
  /// The key of the setting.
  public let key: String
  /// The name of the type with which the value was read.
  public let type: String
  /// The path of the invalid part, which begins with the key, such as `servers[2].port`.
  ///
  /// It has at most 200 characters, none of them invisible.
  public let keyPath: String
  /// The invalid part as a single value, such as `"verbose"`, or its kind, such as `an array`; nil
  /// if the part itself is not what is wrong, as where a key is missing.
  ///
  /// It has at most 40 characters of the value, none of them invisible.
  public let found: String?
  /// The reason as a clause, such as "expected one of info, debug".
  public let reason: String
  /// The path of the file, with symbolic links resolved; nil if the place is not known.
  public let path: String?
  /// The line, from 1; nil in a binary file, or if the place is not known.
  public let line: Int?
  /// The column in code points, from 1; nil in a binary file, or if the place is not known.
  public let column: Int?

  /// Creates a description of an invalid value; the default of `keyPath` is the key.
  public init(
    key: String, type: String, reason: String, keyPath: String? = nil, found: String? = nil,
    path: String? = nil, line: Int? = nil, column: Int? = nil
  ) {
    self.key = key
    self.type = type
    self.keyPath = keyPath ?? key
    self.found = found
    self.reason = reason
    self.path = path
    self.line = line
    self.column = column
  }
}

extension UndecodableValue: CustomStringConvertible {
  /// A sentence without its period, such as `settings.json, line 7, column 14: level is "verbose",
  /// expected one of info, debug`.
  public var description: String {
    let subject = found.map { "\(keyPath) is \($0)" } ?? keyPath
    let isExpectation = found != nil && reason.hasPrefix("expected ")
    return place(path, line, column) + subject + (isExpectation ? ", " : ": ") + reason
  }
}

/// A key of the file that no property of the store has.
public struct UnknownKey: Hashable, Sendable {
  /// The key.
  public let key: String
  /// The key of the property with the most similar key; nil if none is similar.
  public let suggestion: String?
  /// The path of the file, with symbolic links resolved; nil if the place is not known.
  public let path: String?
  /// The line of the key, from 1; nil in a binary file, or if the place is not known.
  public let line: Int?
  /// The column of the key in code points, from 1; nil in a binary file, or if the place is not
  /// known.
  public let column: Int?

  /// Creates a description of an unknown key.
  public init(
    key: String, suggestion: String? = nil, path: String? = nil, line: Int? = nil,
    column: Int? = nil
  ) {
    self.key = key
    self.suggestion = suggestion
    self.path = path
    self.line = line
    self.column = column
  }
}

extension UnknownKey: CustomStringConvertible {
  /// Sentences such as `settings.json, line 3, column 3: levle is no setting. Did you mean level?`.
  public var description: String {
    let advice = suggestion.map { " Did you mean \($0.shown(atMost: 200))?" } ?? ""
    return "\(place(path, line, column))\(key.shown(atMost: 200)) is no setting.\(advice)"
  }
}

/// Returns the beginning of a message about a place in a file; empty if the place is not known.
private func place(_ path: String?, _ line: Int?, _ column: Int?) -> String {
  guard let path else { return "" }
  guard let line, let column else { return "\(path): " }
  return "\(path), line \(line), column \(column): "
}
