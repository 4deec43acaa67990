/// A failure to encode or decode a value, which never contains the value.
package struct ValueCodingError: Error, Hashable, Sendable {
  package enum Problem: Error, Hashable, Sendable {
    case wrongType(expected: Kind, found: Kind)
    /// The name of the key is included only if the key is an enum case.
    case missingKey(String?)
    /// More members than the limit are missing, each of which a default value has.
    case tooManyMissing(limit: Int)
    case missingElement
    /// The type cannot represent the number; an integer type has a range.
    case outOfRange(type: String, range: String? = nil)
    case notValid
    /// The raw value is of no case; `allowed` are those of the cases.
    case unknownCase(allowed: [String])
    case notEncodable
    case nothingEncoded
    /// The value encodes itself as several values, such as an array and a dictionary.
    case multipleEncoded
    case tooDeep
    /// The type's `Codable` code threw an error of the type with this name.
    case codableFailed(error: String)
    /// The value cannot be encoded in the format, or the bytes are not in the format.
    case format(FormatError)
  }

  /// The kind of a value, with its name in messages.
  package enum Kind: String, Hashable, Sendable {
    case null
    case boolean = "a Boolean"
    case number = "a number"
    case string = "a string"
    case url = "a URL"
    case data
    case date = "a date"
    case duration = "a duration"
    case array = "an array"
    case dictionary = "a dictionary"
  }

  package let problem: Problem
  package let type: String
  /// The coding path, such as `lines[*].volume`, with `*` for keys that may be content.
  package let path: String

  /// The problem and the coding path, as a clause.
  package var reason: String { problem.clause + (path.isEmpty ? "" : ", at \(path)") }

  /// A sentence without its period, for a value that cannot be encoded.
  package var encodingFailure: String { "A value of type \(type) cannot be stored: \(reason)" }
}

extension ValueCodingError.Problem {
  var clause: String {
    switch self {
    case .wrongType(let expected, let found):
      "expected \(expected.rawValue), found \(found.rawValue)"
    case .missingKey(let key?): "the key \(key) is missing"
    case .missingKey(nil): "a key is missing"
    case .tooManyMissing(let limit): "more than \(limit) members are missing"
    case .missingElement: "the array has too few elements"
    case .outOfRange(let type, let range):
      "the number is out of range for \(type)\(range.map { ", from \($0)" } ?? "")"
    case .notValid: "the stored value is not valid for this type"
    case .unknownCase(let allowed): "expected one of \(allowed.joined(separator: ", "))"
    case .notEncodable: "a part of it cannot be encoded"
    case .nothingEncoded: "a part of it encodes no value"
    case .multipleEncoded: "a part of it encodes more than one value"
    case .tooDeep: "its arrays and dictionaries are nested too deeply, or contain themselves"
    case .codableFailed(let error): "its Codable implementation threw an error of type \(error)"
    case .format(let error): error.reason
    }
  }
}

// Containers throw an `EncodingError` or a `DecodingError`, because an app's `Codable` code may
// catch these types. The underlying error is a `Problem`. Of other errors, only the type is kept,
// because their descriptions may contain the value.

extension ValueCodingError {
  init(_ problem: Problem, of type: Any.Type, at keys: [any CodingKey] = []) {
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

  init(encoding type: Any.Type, _ error: any Error) {
    if case EncodingError.invalidValue(_, let context) = error {
      let problem = context.underlyingError as? Problem ?? .notEncodable
      self.init(problem, of: type, at: context.codingPath)
    } else {
      self.init(.codableFailed(error: "\(Swift.type(of: error))"), of: type)
    }
  }

  init(decoding type: Any.Type, _ error: any Error) {
    let (problem, context): (Problem, DecodingError.Context?) =
      switch error {
      case DecodingError.keyNotFound(let key, let context): (.missing(key), context)
      case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
        DecodingError.dataCorrupted(let context):
        (.notValid, context)
      default: (.codableFailed(error: "\(Swift.type(of: error))"), nil)
      }
    self.init(
      context?.underlyingError as? Problem ?? problem, of: type, at: context?.codingPath ?? [])
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
}

extension DecodingError.Context {
  init(_ problem: ValueCodingError.Problem, at path: CodingPath?) {
    self.init(
      codingPath: CodingPath.keys(to: path), debugDescription: problem.clause,
      underlyingError: problem)
  }
}
