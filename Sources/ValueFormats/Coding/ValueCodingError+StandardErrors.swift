// Containers throw `EncodingError` and `DecodingError`, which an app's `Codable` code may catch,
// with a `Problem` as the underlying error. The descriptions of other errors are not used, because
// they may contain the value.

// Conversions from and to the errors of the standard library.
extension ValueCodingError {
  /// Creates an error with a path that contains only keys without content.
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

  /// Converts an encoding error.
  ///
  /// If `isWrappedInArray` is true, the first key of the path is that of the array, and is dropped.
  init(encoding type: Any.Type, _ error: any Error, isWrappedInArray: Bool = false) {
    var error = error
    // The property list encoder wraps an error with a coding path in an error without one.
    while case EncodingError.invalidValue(_, let context) = error,
      let underlying = context.underlyingError, !(underlying is Problem)
    {
      error = underlying
    }
    switch error {
    case EncodingError.invalidValue(_, let context):
      let problem = context.underlyingError as? Problem ?? .notEncodable
      self.init(problem, of: type, at: context.codingPath.dropFirst(isWrappedInArray ? 1 : 0))
    case let problem as Problem: self.init(problem, of: type)
    default: self.init(.codableFailed(error: "\(Swift.type(of: error))"), of: type)
    }
  }

  /// Converts a decoding error; `isWrappedInArray` is as for an encoding error.
  init(decoding type: Any.Type, _ error: any Error, isWrappedInArray: Bool = false) {
    let (problem, context): (Problem, DecodingError.Context?) =
      switch error {
      case DecodingError.keyNotFound(let key, let context): (.missing(key), context)
      case DecodingError.valueNotFound(_, let context): (.missingValue, context)
      case DecodingError.typeMismatch(_, let context): (.typeMismatch, context)
      case DecodingError.dataCorrupted(let context): (.notValid, context)
      default: (.codableFailed(error: "\(Swift.type(of: error))"), nil)
      }
    self.init(
      context?.underlyingError as? Problem ?? problem, of: type,
      at: context?.codingPath.dropFirst(isWrappedInArray ? 1 : 0) ?? [])
  }
}

extension ValueCodingError.Problem {
  static func missing(_ key: any CodingKey) -> Self { .missingKey(name(of: key)) }

  /// Returns the name of a key that is an enum case; nil for other keys, which may be content.
  fileprivate static func name(of key: any CodingKey) -> String? {
    let mirror = Mirror(reflecting: key)
    return mirror.displayStyle == .enum && mirror.children.isEmpty ? key.stringValue : nil
  }
}

extension EncodingError {
  init(_ problem: ValueCodingError.Problem, of value: Any, at path: CodingPath?) {
    let context = Context(
      codingPath: CodingPath.keys(to: path), debugDescription: problem.clause,
      underlyingError: problem)
    self = .invalidValue(value, context)
  }
}

extension DecodingError {
  init(_ problem: ValueCodingError.Problem, of type: Any.Type, at path: CodingPath?) {
    let context = Context(problem, at: path)
    switch problem {
    case .wrongType(_, found: .null), .missingElement: self = .valueNotFound(type, context)
    case .wrongType: self = .typeMismatch(type, context)
    default: self = .dataCorrupted(context)
    }
  }

  init(missing key: some CodingKey, at path: CodingPath?) {
    self = .keyNotFound(key, Context(.missing(key), at: path))
  }
}

extension DecodingError.Context {
  fileprivate init(_ problem: ValueCodingError.Problem, at path: CodingPath?) {
    self.init(
      codingPath: CodingPath.keys(to: path), debugDescription: problem.clause,
      underlyingError: problem)
  }
}
