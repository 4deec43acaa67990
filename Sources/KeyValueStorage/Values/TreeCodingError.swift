/// Why a value could not be encoded or decoded: never with anything of the value in it.
struct TreeCodingError: Error, Hashable, Sendable {
  enum Problem: Error, Hashable, Sendable {
    case wrongType(expected: Kind, found: Kind)
    /// With the name of the key, if that stands in the source.
    case missingKey(String?)
    /// An array is at its end.
    case missingElement
    /// The number is none that the type has.
    case outOfRange(type: String)
    /// The type, or the standard library for it, does not take what is there.
    case notValid
    /// The type, or the standard library for it, does not take the value to be encoded.
    case notEncodable
    /// The value encodes nothing at all.
    case nothingEncoded
    /// The value encodes itself as two things, such as an array and a dictionary.
    case severalEncoded
    case tooDeep
    /// The type's own code threw an error, of the type named.
    case refused(error: String)
  }

  /// What can be in a tree, or be asked for.
  enum Kind: String, Hashable, Sendable {
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

  let problem: Problem

  /// Where in the value it is, such as `lines[*].volume`: the names of its coding keys, `*` for what
  /// could be its content.
  let path: String
}

extension TreeCodingError {
  /// What is wrong and where, as a clause.
  var reason: String {
    let place = path.isEmpty ? "" : ", at \(path)"
    return clause + place
  }

  private var clause: String {
    switch problem {
    case .wrongType(let expected, let found):
      "\(expected.rawValue) is expected, but there is \(found.rawValue)"
    case .missingKey(let key?): "the key \(key) is missing"
    case .missingKey(nil): "a key is missing"
    case .missingElement: "the array has too few elements"
    case .outOfRange(let type): "the number does not fit into \(type)"
    case .notValid: "what is there is not valid for its type"
    case .notEncodable: "it has a part that cannot be encoded"
    case .nothingEncoded: "it has a part that encodes nothing"
    case .severalEncoded: "it has a part that encodes several values in place of one"
    case .tooDeep: "arrays and dictionaries in it are nested too deeply, or in a circle"
    case .refused(let error): "its own code threw an error of type \(error)"
    }
  }
}

extension TreeCodingError.Kind {
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
