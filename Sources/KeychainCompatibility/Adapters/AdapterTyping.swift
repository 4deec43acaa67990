import FoundationEssentials
import ValueFormats

/// Assigns types to JSON values, with messages that contain neither values nor member names.
struct AdapterTyping {
  typealias Refusal = AdapterConversion.Refusal

  let decoder: JSONDecoder

  /// Returns a JSON value with a declared type; `isNested` is whether it is inside a container,
  /// where null stands for a missing value of any type.
  func typed(
    _ tree: ValueTree, as type: AdapterValueType, isNested: Bool = false
  ) throws(Refusal) -> ValueTree {
    switch (type, tree) {
    case (_, .null) where isNested: return tree
    case (.unambiguous, .array): return try typed(tree, as: .array(of: .unambiguous))
    case (.unambiguous, .dictionary): return try typed(tree, as: .object([:]))
    case (.unambiguous, .number):
      throw ambiguity(isNested, "an integer, another number or a date")
    case (.unambiguous, .string(let string)):
      if let other = otherType(of: string, isNested) {
        throw ambiguity(isNested, "a string or \(other)")
      }
      return tree
    case (.unambiguous, _), (.plain, _), (.string, .string), (.boolean, .bool),
      (.integer, .number(.integer)), (.rawValue, .string), (.rawValue, .number), (.rawValue, .bool):
      return tree
    case (.double, .number): return .number(.real(try value(Double.self, of: tree, type)))
    case (.float, .number): return .number(.float(try value(Float.self, of: tree, type)))
    case (.data, _): return .data(try value(Data.self, of: tree, type))
    case (.date, _): return .date(try value(Date.self, of: tree, type))
    case (.url, .string(let string)):
      _ = try value(URL.self, of: tree, type)
      // In a property list, a URL has the form of its `Codable` conformance.
      return isNested ? .dictionary([StoredKey("relative"): .string(string)]) : tree
    case (.array(of: let type), .array(let elements)):
      return .array(
        try elements.map { item throws(Refusal) in try typed(item, as: type, isNested: true) })
    case (.object(let types), .dictionary(let members)):
      var typedMembers: [StoredKey: ValueTree] = [:]
      // The members are sorted, so that every run reports the same reason.
      for (name, member) in members.sorted(by: { $0.key < $1.key }) {
        typedMembers[name] = try typed(
          member, as: types[name.string] ?? .unambiguous, isNested: true)
      }
      return .dictionary(typedMembers)
    default: throw mismatch(type)
    }
  }

  /// Returns the name of another type that a string could represent; nil if there is none.
  private func otherType(of string: String, _ isNested: Bool) -> String? {
    // Empty data and an empty string have the same bytes, but differ in a property list.
    if string.isEmpty { return isNested ? "data" : nil }
    if Data(base64Encoded: string) != nil { return "data" }
    // An error shows only that the string is not a date.
    if (try? Date(string, strategy: .iso8601)) != nil { return "a date" }
    // A URL is stored as a string only at the top level, and a UUID only inside a container.
    if isNested { return URL(string: string)?.scheme == nil ? nil : "a URL" }
    return UUID(uuidString: string) == nil ? nil : "a UUID"
  }

  private func value<Value: Decodable>(
    _ type: Value.Type, of tree: ValueTree, _ declared: AdapterValueType
  ) throws(Refusal) -> Value {
    // The value is in an array, because the decoder may not support the type at the top level. The
    // decoder's own error may contain parts of the value.
    guard let json = try? JSONFormat(.plain).encode(.array([tree])),
      let value = try? decoder.decode([Value].self, from: Data(json)).first
    else { throw mismatch(declared) }
    return value
  }

  private func mismatch(_ type: AdapterValueType) -> Refusal {
    // The name of the case, without its associated value.
    let name = "\(type)".prefix { $0 != "(" }
    return Refusal(reason: "It is not JSON of type \(name).")
  }

  private func ambiguity(_ isNested: Bool, _ types: String) -> Refusal {
    Refusal(reason: "\(isNested ? "A nested value" : "It") may be \(types). Declare its type.")
  }
}
