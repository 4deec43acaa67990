/// Why a value could not be encoded or decoded: never with anything of the value in it.
package struct ValueCodingError: Error, Hashable, Sendable {
  package enum Problem: Hashable, Sendable {
    /// An integer is not in 1, 2, 4 or 8 bytes.
    case wrongByteCount
    case outOfRange
    case notBoolean
    case notUTF8
    case notURL
    case notPropertyList
    case missingKey
    case missingValue
    case wrongType
    case corrupted
    case notEncodable
    /// A string is the one that property lists have for nil.
    case nullString
    /// The type's own code threw an error, of the type named.
    case refused(error: String)
  }

  package let problem: Problem

  /// The name of the type that was asked for.
  package let type: String

  /// Where in the value it is: the names of its coding keys, `*` for what could be its content.
  package let path: [String]

  init(_ problem: Problem, of type: Any.Type, at path: [String] = []) {
    self.problem = problem
    self.type = String(describing: type)
    self.path = path
  }
}

struct NullString: Error {}

extension ValueCodingError {
  init(encoding type: Any.Type, _ error: any Error, inList: Bool = false) {
    var error = error
    // The encoder has the error that tells where inside one that does not.
    while case EncodingError.invalidValue(_, let context) = error,
      let underlying = context.underlyingError
    {
      error = underlying
    }
    let names = Self.names(inList: inList)
    switch error {
    case EncodingError.invalidValue(_, let context):
      self.init(.notEncodable, of: type, at: names(context.codingPath))
    case is NullString:
      self.init(.nullString, of: type)
    default:
      self.init(.refused(error: String(describing: Swift.type(of: error))), of: type)
    }
  }

  init(decoding type: Any.Type, _ error: any Error, inList: Bool = false) {
    let names = Self.names(inList: inList)
    // Of the context the path alone: its text may quote the value.
    switch error {
    case DecodingError.keyNotFound(let key, let context):
      self.init(.missingKey, of: type, at: names(context.codingPath + [key]))
    case DecodingError.valueNotFound(_, let context):
      self.init(.missingValue, of: type, at: names(context.codingPath))
    case DecodingError.typeMismatch(_, let context):
      self.init(.wrongType, of: type, at: names(context.codingPath))
    case DecodingError.dataCorrupted(let context):
      self.init(.corrupted, of: type, at: names(context.codingPath))
    default:
      self.init(.refused(error: String(describing: Swift.type(of: error))), of: type)
    }
  }

  /// The keys that stand in the source, as cases of an enum; others can be a dictionary's.
  private static func names(inList: Bool) -> ([any CodingKey]) -> [String] {
    { path in
      path.dropFirst(inList ? 1 : 0).map { key in
        let mirror = Mirror(reflecting: key)
        return mirror.displayStyle == .enum && mirror.children.isEmpty ? key.stringValue : "*"
      }
    }
  }
}

extension ValueCodingError: CustomStringConvertible {
  package var description: String {
    let place = path.isEmpty ? "" : " At \(path.joined(separator: "."))."
    switch problem {
    case .notEncodable:
      return """
        A value of type \(type) cannot be stored: something in it has no form in a property \
        list.\(place) Store it as a type that encodes itself as numbers, text, data or dates.
        """
    case .nullString:
      return """
        A value of type \(type) cannot be stored: a string in it is "$null", which property \
        lists have for nil. Store that string by itself or as Data.
        """
    case .refused(let error):
      return "The coding of \(type) by its own code failed with an error of type \(error)."
    default:
      return """
        The stored bytes are not a value of type \(type): \(reason).\(place) \
        Read them as the type that they were saved as.
        """
    }
  }

  private var reason: String {
    switch problem {
    case .wrongByteCount: "an integer has 1, 2, 4 or 8 bytes"
    case .outOfRange: "the integer is too large or too small"
    case .notBoolean: "a Bool is 0 or 1"
    case .notUTF8: "the text is not UTF-8"
    case .notURL: "the text is not a URL"
    case .notPropertyList: "they are not a binary property list"
    case .missingKey: "a key is missing"
    case .missingValue: "a value is missing"
    case .wrongType: "something in them has another type"
    case .corrupted, .notEncodable, .nullString, .refused: "something in them is not valid"
    }
  }
}
