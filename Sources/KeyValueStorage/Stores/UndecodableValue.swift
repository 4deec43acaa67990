import ValueFormats

/// A stored value that does not have the type with which it is read.
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
  /// The place of the invalid part when the store found it; nil for a store without a file, and in
  /// a migration.
  public let place: FilePlace?

  /// Creates a description of an invalid value; the default of `keyPath` is the key.
  public init(
    key: String, type: String, reason: String, keyPath: String? = nil, found: String? = nil,
    place: FilePlace? = nil
  ) {
    self.key = key
    self.type = type
    self.keyPath = keyPath ?? [ValueStep]().keyPath(from: key)
    self.found = found
    self.reason = reason
    self.place = place
  }
}

extension UndecodableValue: CustomStringConvertible {
  /// A sentence without its period, such as `settings.json, line 7, column 14: level is "verbose",
  /// expected one of info, debug`; a reason that does not say what is expected is followed by the
  /// type.
  public var description: String {
    let start = (place.map { "\($0): " } ?? "") + keyPath
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
  /// The place of the key; nil for a store without a file.
  public let place: FilePlace?

  /// Creates a description of an unknown key.
  public init(
    key: String, suggestion: String? = nil, place: FilePlace? = nil
  ) {
    self.key = key
    self.suggestion = suggestion
    self.place = place
  }
}

extension UnknownKey: CustomStringConvertible {
  /// Sentences such as `settings.json, line 3, column 3: levle is no setting. Did you mean level?`.
  public var description: String {
    let name = [ValueStep]().keyPath(from: key)
    let advice = suggestion.map { " Did you mean \([ValueStep]().keyPath(from: $0))?" } ?? ""
    return "\(place.map { "\($0): " } ?? "")\(name) is no setting.\(advice)"
  }
}
