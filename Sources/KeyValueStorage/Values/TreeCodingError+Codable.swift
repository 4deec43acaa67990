// Code of the app's types may catch what a container throws, so that is one of the standard errors,
// with a TreeCodingError inside.

extension TreeCodingError {
  init(_ problem: Problem, at keys: [any CodingKey]) {
    self.problem = problem
    self.path = keys.reduce(into: "") { path, key in
      if key is IndexKey {
        path += "[*]"
      } else {
        path += (path.isEmpty ? "" : ".") + (Self.name(of: key) ?? "*")
      }
    }
  }

  /// The name of a key that stands in the source, as a case of an enum; others can be a dictionary's.
  static func name(of key: any CodingKey) -> String? {
    let mirror = Mirror(reflecting: key)
    return mirror.displayStyle == .enum && mirror.children.isEmpty ? key.stringValue : nil
  }

  /// The error for whatever encoding threw.
  init(encoding error: any Error) {
    switch error {
    case EncodingError.invalidValue(_, let context):
      self = context.underlyingError as? Self ?? Self(.notEncodable, at: context.codingPath)
    default:
      self.init(.refused(error: String(describing: Swift.type(of: error))), at: [])
    }
  }

  /// The error for whatever decoding threw.
  init(decoding error: any Error) {
    // Of a context not the text: it may quote the value.
    switch error {
    case DecodingError.keyNotFound(let key, let context):
      self =
        context.underlyingError as? Self
        ?? Self(.missingKey(Self.name(of: key)), at: context.codingPath)
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
      DecodingError.dataCorrupted(let context):
      self = context.underlyingError as? Self ?? Self(.notValid, at: context.codingPath)
    default:
      self.init(.refused(error: String(describing: Swift.type(of: error))), at: [])
    }
  }
}

extension EncodingError {
  init(_ problem: TreeCodingError.Problem, of value: Any, at place: CodingPath?) {
    let keys = CodingPath.keys(to: place)
    let error = TreeCodingError(problem, at: keys)
    self = .invalidValue(
      value, Context(codingPath: keys, debugDescription: error.reason, underlyingError: error))
  }
}

extension DecodingError {
  init(_ problem: TreeCodingError.Problem, of type: Any.Type, at place: CodingPath?) {
    let keys = CodingPath.keys(to: place)
    let error = TreeCodingError(problem, at: keys)
    let context = Context(
      codingPath: keys, debugDescription: error.reason, underlyingError: error)
    switch problem {
    case .wrongType(_, found: .null), .missingElement: self = .valueNotFound(type, context)
    case .wrongType: self = .typeMismatch(type, context)
    default: self = .dataCorrupted(context)
    }
  }

  init(missing key: some CodingKey, at place: CodingPath?) {
    let keys = CodingPath.keys(to: place)
    let error = TreeCodingError(.missingKey(TreeCodingError.name(of: key)), at: keys)
    self = .keyNotFound(
      key, Context(codingPath: keys, debugDescription: error.reason, underlyingError: error))
  }
}
