/// The reason why a value could not be encoded or decoded; never contains the value.
package struct ValueCodingError: Error, Hashable, Sendable {
  package enum Problem: Error, Hashable, Sendable {
    case wrongType(expected: Kind, found: Kind)
    /// A part of a property list has a different type.
    case typeMismatch
    /// The name of the key is included only if the key is an enum case.
    case missingKey(String?)
    case missingValue
    /// The array has no more elements.
    case missingElement
    /// The type cannot hold the number.
    case outOfRange(type: String)
    /// The type or the standard library rejects the stored value.
    case notValid
    /// The type or the standard library rejects the value to encode.
    case notEncodable
    /// The value encodes nothing.
    case nothingEncoded
    /// The value encodes itself as several values, such as an array and a dictionary.
    case multipleEncoded
    case tooDeep
    /// The type's `Codable` implementation threw an error of the given type.
    case codableFailed(error: String)
    /// A string is equal to the encoding of nil in a property list.
    case nullString
    /// The byte count of an integer is not 1, 2, 4 or 8.
    case wrongByteCount
    case notBoolean
    case notUTF8
    case notURL
    case notPropertyList
    /// A text of the environment or the command line has a problem, which is a clause.
    case inText(String, name: String)
  }

  /// The kinds of values in a tree.
  package enum Kind: String, Hashable, Sendable {
    case null
    case boolean = "a Boolean"
    case number = "a number"
    case string = "a string"
    case url = "a URL"
    case data
    case date = "a date"
    case array = "an array"
    case dictionary = "a dictionary"
  }

  package let problem: Problem

  /// The name of the requested type.
  package let type: String

  /// The coding path of the failure, such as `lines[*].volume`, with `*` for keys that may be
  /// content.
  package let path: String

  /// The problem and the coding path, as a clause.
  package var reason: String { problem.clause + (path.isEmpty ? "" : ", at \(path)") }
}

extension ValueCodingError.Problem {
  var clause: String {
    switch self {
    case .wrongType(let expected, let found):
      "expected \(expected.rawValue), found \(found.rawValue)"
    case .typeMismatch: "a part of the value has a different type"
    case .missingKey(let key?): "the key \(key) is missing"
    case .missingKey(nil): "a key is missing"
    case .missingValue: "a value is missing"
    case .missingElement: "the array has too few elements"
    case .outOfRange(let type): "the number is out of range for \(type)"
    case .notValid: "the stored value is not valid for this type"
    case .notEncodable: "a part of it cannot be encoded"
    case .nothingEncoded: "a part of it encodes no value"
    case .multipleEncoded: "a part of it encodes more than one value"
    case .tooDeep: "its arrays and dictionaries are nested too deeply, or contain themselves"
    case .codableFailed(let error): "its Codable implementation threw an error of type \(error)"
    case .nullString: "it contains the string \"$null\", which means nil in a property list"
    case .wrongByteCount: "an integer must have 1, 2, 4 or 8 bytes"
    case .notBoolean: "a Bool must be 0 or 1"
    case .notUTF8: "the string is not valid UTF-8"
    case .notURL: "the string is not a URL"
    case .notPropertyList: "they are not a binary property list"
    case .inText(let problem, let name): "\(problem), in \(name)"
    }
  }
}

extension ValueCodingError: CustomStringConvertible {
  /// A message that describes a failure of a ``ValueCoder``.
  package var description: String {
    let position = path.isEmpty ? "" : " At \(path)."
    switch problem {
    case .notEncodable:
      return """
        A value of type \(type) cannot be stored: a part of it cannot be represented in a property \
        list.\(position) Store it as a type that encodes itself as numbers, strings, data or dates.
        """
    case .nullString:
      return """
        A value of type \(type) cannot be stored: \(problem.clause). Store that string by itself, \
        or as Data.
        """
    case .codableFailed(let error):
      return "The Codable implementation of \(type) threw an error of type \(error)."
    default:
      return """
        The stored bytes are not a value of type \(type): \(problem.clause).\(position) \
        Read them as the type that they were saved as.
        """
    }
  }
}
