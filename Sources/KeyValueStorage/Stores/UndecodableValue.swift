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
  /// The path of the invalid part, which begins with the key, such as `servers[2].port`, or
  /// `"a b".port` for a key that is empty or has a dot, a bracket or a space.
  ///
  /// It has at most 200 characters, none of them invisible.
  public let keyPath: String
  /// The invalid part as a single value, such as `"verbose"`, or its kind, such as `an array`; nil
  /// if the part itself is not what is wrong, as where a key is missing.
  ///
  /// It has at most 40 characters of the value, none of them invisible.
  public let found: String?
  /// The reason as a clause, such as "expected one of info, debug".
  ///
  /// The `debugDescription` of a type's own error has at most 200 characters here.
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
    self.keyPath = keyPath ?? [ValueStep]().keyPath(from: key)
    self.found = found
    self.reason = reason
    self.path = path
    self.line = line
    self.column = column
  }
}

extension UndecodableValue: CustomStringConvertible {
  /// A sentence without its period, such as `settings.json, line 7, column 14: level is "verbose",
  /// expected one of info, debug`; a reason that does not say what is expected is followed by the
  /// type.
  public var description: String {
    let start = place(path, line, column) + keyPath
    if let found, reason.hasPrefix("expected ") { return "\(start) is \(found), \(reason)" }
    return "\(start)\(found.map { " is \($0)" } ?? ""): \(reason) (type \(type))"
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
    let name = [ValueStep]().keyPath(from: key)
    let advice = suggestion.map { " Did you mean \([ValueStep]().keyPath(from: $0))?" } ?? ""
    return "\(place(path, line, column))\(name) is no setting.\(advice)"
  }
}

/// Returns the beginning of a message about a place in a file; empty if the place is not known.
private func place(_ path: String?, _ line: Int?, _ column: Int?) -> String {
  // A message is one line, even if the path is not.
  guard let path = path?.shown(atMost: 4096) else { return "" }
  guard let line, let column else { return "\(path): " }
  return "\(path), line \(line), column \(column): "
}
