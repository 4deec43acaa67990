// Code of the app's types may catch a container's error, so it is one of the standard errors, with
// a Problem inside. The text of a standard error is not used, because it may quote the value.

extension ValueCodingError {
  init(
    _ problem: Problem, of type: Any.Type, at keys: some Sequence<any CodingKey> = EmptyCollection()
  ) {
    self.problem = problem
    self.type = "\(type)"
    path = keys.reduce(into: "") { path, key in
      if key is IndexKey {
        path += "[*]"
      } else {
        path += (path.isEmpty ? "" : ".") + (Problem.name(of: key) ?? "*")
      }
    }
  }

  /// Converts any error of encoding; `inList` drops the array of one element from the path.
  init(encoding type: Any.Type, _ error: any Error, inList: Bool = false) {
    var error = error
    // A property list's encoder wraps the error with the coding path in one without it.
    while case EncodingError.invalidValue(_, let context) = error,
      let underlying = context.underlyingError, !(underlying is Problem)
    {
      error = underlying
    }
    switch error {
    case EncodingError.invalidValue(_, let context):
      let problem = context.underlyingError as? Problem ?? .notEncodable
      self.init(problem, of: type, at: context.codingPath.dropFirst(inList ? 1 : 0))
    case let problem as Problem: self.init(problem, of: type)
    default: self.init(.refused(error: "\(Swift.type(of: error))"), of: type)
    }
  }

  /// Converts any error of decoding; `inList` drops the array of one element from the path.
  init(decoding type: Any.Type, _ error: any Error, inList: Bool = false) {
    let (problem, context): (Problem, DecodingError.Context?) =
      switch error {
      case DecodingError.keyNotFound(let key, let context): (.missing(key), context)
      case DecodingError.valueNotFound(_, let context): (.missingValue, context)
      case DecodingError.typeMismatch(_, let context): (.wrongPart, context)
      case DecodingError.dataCorrupted(let context): (.notValid, context)
      default: (.refused(error: "\(Swift.type(of: error))"), nil)
      }
    self.init(
      context?.underlyingError as? Problem ?? problem, of: type,
      at: context?.codingPath.dropFirst(inList ? 1 : 0) ?? [])
  }
}

extension ValueCodingError.Problem {
  static func missing(_ key: any CodingKey) -> Self { .missingKey(name(of: key)) }

  /// Returns the name of a key that is an enum case in the source; other keys may be content.
  fileprivate static func name(of key: any CodingKey) -> String? {
    let mirror = Mirror(reflecting: key)
    return mirror.displayStyle == .enum && mirror.children.isEmpty ? key.stringValue : nil
  }
}

extension EncodingError {
  init(_ problem: ValueCodingError.Problem, of value: Any, at place: CodingPath?) {
    let context = Context(
      codingPath: CodingPath.keys(to: place), debugDescription: problem.clause,
      underlyingError: problem)
    self = .invalidValue(value, context)
  }
}

extension DecodingError {
  init(_ problem: ValueCodingError.Problem, of type: Any.Type, at place: CodingPath?) {
    let context = Context(problem, at: place)
    switch problem {
    case .wrongType(_, found: .null), .missingElement: self = .valueNotFound(type, context)
    case .wrongType: self = .typeMismatch(type, context)
    default: self = .dataCorrupted(context)
    }
  }

  init(missing key: some CodingKey, at place: CodingPath?) {
    self = .keyNotFound(key, Context(.missing(key), at: place))
  }
}

extension DecodingError.Context {
  fileprivate init(_ problem: ValueCodingError.Problem, at place: CodingPath?) {
    self.init(
      codingPath: CodingPath.keys(to: place), debugDescription: problem.clause,
      underlyingError: problem)
  }
}
