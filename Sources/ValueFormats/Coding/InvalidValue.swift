/// The invalid part of a setting; unlike a ``ValueCodingError``, it contains a part of the value.
///
/// Texts are bounded in length, and have no invisible characters.
package struct InvalidValue: Error, Hashable, Sendable {
  package let path: [ValueStep]
  /// The value of the part, as in ``ValueTree/shown``; nil if the part itself is not the problem.
  package let found: String?
  /// The reason as a clause, such as "expected one of info, debug".
  package let reason: String

  init(_ error: any Error, in tree: ValueTree) {
    var (context, missing): (DecodingError.Context?, String?) = (nil, nil)
    switch error {
    case DecodingError.keyNotFound(let key, let found):
      (context, missing) = (found, "the key \(key.stringValue.shown(atMost: 40)) is missing")
    case DecodingError.typeMismatch(_, let found), DecodingError.valueNotFound(_, let found),
      DecodingError.dataCorrupted(let found):
      context = found
    default: break
    }
    path = (context?.codingPath ?? []).map { key in
      if let index = key as? IndexKey { return .index(index.intValue ?? 0) }
      return .key(StoredKey(key.stringValue))
    }
    let part = tree.part(at: path)?.shown
    switch (context?.underlyingError as? ValueCodingError.Problem, context) {
    case (.wrongType(let expected, _)?, _) where part != nil:
      (found, reason) = (part, "expected \(expected.rawValue)")
    case (let problem?, _):
      (found, reason) = (problem.isOfPart ? part : nil, problem.clause)
    case (nil, let context?):
      found = missing == nil ? part : nil
      reason = missing ?? Self.clause(context.debugDescription)
    case (nil, nil):
      let problem = ValueCodingError.Problem.codableFailed(error: "\(type(of: error))")
      (found, reason) = (nil, problem.clause)
    }
  }

  /// Returns the description of an error of a type's own code, without a period at the end.
  private static func clause(_ description: String) -> String {
    if description.isEmpty { return ValueCodingError.Problem.notValid.clause }
    let shown = description.shown(atMost: 200)
    return shown.hasSuffix(".") ? String(shown.dropLast()) : shown
  }
}

extension ValueCodingError.Problem {
  /// Whether the value of the part is the problem, so that a message shows it.
  fileprivate var isOfPart: Bool {
    switch self {
    case .unknownCase, .outOfRange, .notValid: true
    default: false
    }
  }
}

/// Returns the raw values of the cases of an enumeration, at most 20, and the kind of them; nil for
/// another type.
func rawValues(of type: Any.Type) -> (values: [String], kind: ValueCodingError.Kind)? {
  func names<Enumeration: CaseIterable & RawRepresentable>(
    _ type: Enumeration.Type
  ) -> (values: [String], kind: ValueCodingError.Kind) {
    let cases = type.allCases.prefix(21).map { "\($0.rawValue)".shown(atMost: 40) }
    return (
      cases.count > 20 ? cases.prefix(20) + ["…"] : cases,
      Enumeration.RawValue.self is any StringProtocol.Type ? .string : .number
    )
  }
  guard let type = type as? any (CaseIterable & RawRepresentable).Type else { return nil }
  return names(type)
}
