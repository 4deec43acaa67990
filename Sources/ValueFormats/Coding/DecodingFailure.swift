/// The reason why a setting could not be decoded, with its path in the value; never contains the
/// value.
package struct DecodingFailure: Error, Hashable, Sendable {
  /// The name of the requested type.
  package let type: String
  /// The path of the invalid part; empty for the value itself.
  package private(set) var path: ValuePath
  /// Whether the path is that of a missing member.
  package let isMissing: Bool
  /// The reason as a clause whose subject is the path, such as "is a string, expected a number".
  package let reason: String
  /// The offset of the invalid part from the beginning of the encoded value, if the path does not
  /// determine it.
  package let offset: Int?
  /// The name of the text in the environment or the command line that is invalid; nil for other
  /// values.
  package let textName: String?

  /// Creates a failure from an error of a `Decodable` implementation.
  init(_ error: any Error, of type: Any.Type) {
    let (problem, keys) = ValueCodingError.analysis(of: error)
    self.type = "\(type)"
    if case .inText(_, let name) = problem {
      // The name has the members of structures; other keys in the text may be content.
      (textName, path) = (name, ValuePath())
    } else {
      (textName, path) = (nil, ValuePath(keys))
    }
    if textName == nil, case DecodingError.keyNotFound(let key, _) = error {
      path = path + .key(key.stringValue)
      (isMissing, reason) = (true, "is missing")
    } else {
      isMissing = false
      reason = problem.predicate(of: path.components.isEmpty ? self.type : nil)
    }
    offset = nil
  }

  /// Creates a failure from an error of a format.
  package init(_ error: FormatError, of type: Any.Type) {
    self.type = "\(type)"
    path = ValuePath()
    reason = "cannot be read: \(error.reason)"
    offset = error.offset
    textName = nil
    isMissing = false
  }
}

extension ValueCodingError.Problem {
  /// The problem as a clause whose subject is the invalid value, of a type that may be unknown.
  fileprivate func predicate(of type: String?) -> String {
    switch self {
    case .wrongType(let expected, let found):
      "is \(found.rawValue), expected \(expected.rawValue)"
    case .typeMismatch: "has another type than expected"
    case .missingKey, .missingValue: "is missing"
    case .missingElement: "has too few elements"
    case .outOfRange(let type): "is out of range for \(type)"
    case .notValid: "is not a valid value of \(type.map { "the type \($0)" } ?? "its type")"
    case .inText(let problem, _): "is invalid: \(problem)"
    case .codableFailed(let error): "is rejected by its type with an error of type \(error)"
    default: "cannot be decoded: \(clause)"
    }
  }
}

extension StoredFormat {
  /// Decodes a value, and records the members that its type reads if `usage` is not nil; a closure
  /// encodes the default value, which completes a structure.
  package func value<Value: Decodable>(
    _ type: Value.Type, from value: ArraySlice<UInt8>, recording usage: MemberUsage? = nil,
    default defaultTree: (() throws(ValueCodingError) -> ValueTree)? = nil
  ) throws(DecodingFailure) -> Value {
    let tree: ValueTree
    do throws(FormatError) {
      tree = try decode(value)
    } catch {
      throw DecodingFailure(error, of: type)
    }
    do {
      return try tree.decoded(as: type, recording: usage, default: defaultTree)
    } catch {
      throw DecodingFailure(error, of: type)
    }
  }

  /// Returns whether two encoded values differ only in notation, such as white space; nil stands
  /// for an absent value.
  package func isSameValue(_ first: ArraySlice<UInt8>?, _ second: ArraySlice<UInt8>?) -> Bool {
    guard let first, let second, first != second else { return first == second }
    do throws(FormatError) {
      return try decode(first).isSameValue(as: decode(second))
    } catch {
      return false
    }
  }
}
