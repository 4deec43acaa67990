/// The reason why encoding or decoding failed; it contains nothing of the value.
package struct ValueCodingError: Error, Hashable, Sendable {
  package enum Problem: Error, Hashable, Sendable {
    case wrongType(expected: Kind, found: Kind)
    /// A part of a property list has another type.
    case wrongPart
    /// The key's name is given only if it is written in the source.
    case missingKey(String?)
    case missingValue
    /// The array has no more elements.
    case missingElement
    /// The type cannot hold the number.
    case outOfRange(type: String)
    /// The type, or the standard library for it, rejects the stored value.
    case notValid
    /// The type, or the standard library for it, rejects the value to encode.
    case notEncodable
    /// The value encodes nothing.
    case nothingEncoded
    /// The value encodes itself as several values, such as an array and a dictionary.
    case severalEncoded
    case tooDeep
    /// The type's own code threw an error of the named type.
    case refused(error: String)
    /// A string equals the property-list encoding of nil.
    case nullString
    /// The byte count of an integer is not 1, 2, 4 or 8.
    case wrongByteCount
    case notBoolean
    case notUTF8
    case notURL
    case notPropertyList
  }

  /// The kinds of values in a tree.
  package enum Kind: String, Hashable, Sendable {
    case null
    case boolean = "a Boolean"
    case number = "a number"
    case text
    case url = "a URL"
    case data
    case date = "a date"
    case array = "an array"
    case dictionary = "a dictionary"
  }

  package let problem: Problem

  /// The name of the requested type.
  package let type: String

  /// The position in the value, such as `lines[*].volume`: the names of its coding keys, `*` for
  /// possible content.
  package let path: String
}

extension ValueCodingError {
  /// The problem and its position, as a clause.
  package var reason: String { problem.clause + (path.isEmpty ? "" : ", at \(path)") }
}

extension ValueCodingError.Problem {
  var clause: String {
    switch self {
    case .wrongType(let expected, let found):
      "\(expected.rawValue) is expected, but there is \(found.rawValue)"
    case .wrongPart: "something in them has another type"
    case .missingKey(let key?): "the key \(key) is missing"
    case .missingKey(nil): "a key is missing"
    case .missingValue: "a value is missing"
    case .missingElement: "the array has too few elements"
    case .outOfRange(let type): "the number does not fit into \(type)"
    case .notValid: "the stored value is not valid for this type"
    case .notEncodable: "it has a part that cannot be encoded"
    case .nothingEncoded: "it has a part that encodes nothing"
    case .severalEncoded: "it has a part that encodes several values in place of one"
    case .tooDeep: "arrays and dictionaries in it are nested too deeply, or in a circle"
    case .refused(let error): "its own code threw an error of type \(error)"
    case .nullString: "it has the string \"$null\", which property lists have for nil"
    case .wrongByteCount: "an integer has 1, 2, 4 or 8 bytes"
    case .notBoolean: "a Bool is 0 or 1"
    case .notUTF8: "the text is not UTF-8"
    case .notURL: "the text is not a URL"
    case .notPropertyList: "they are not a binary property list"
    }
  }
}

extension ValueCodingError: CustomStringConvertible {
  /// The failure of a ``ValueCoder``, as sentences.
  package var description: String {
    let place = path.isEmpty ? "" : " At \(path)."
    switch problem {
    case .notEncodable:
      return """
        A value of type \(type) cannot be stored: a part of it has no form in a property \
        list.\(place) Store it as a type that encodes itself as numbers, text, data or dates.
        """
    case .nullString:
      return """
        A value of type \(type) cannot be stored: \(problem.clause). Store that string by itself \
        or as Data.
        """
    case .refused(let error):
      return "The coding of \(type) by its own code failed with an error of type \(error)."
    default:
      return """
        The stored bytes are not a value of type \(type): \(problem.clause).\(place) \
        Read them as the type that they were saved as.
        """
    }
  }
}

extension ValueCodingError.Kind {
  init(of tree: ValueTree) {
    self =
      switch tree {
      case .null: .null
      case .bool: .boolean
      case .number: .number
      case .string: .text
      case .data: .data
      case .date: .date
      case .array: .array
      case .dictionary: .dictionary
      }
  }
}
