import FoundationEssentials
import ValueFormats

/// Assigns types to JSON values, with messages that contain neither values nor member names.
struct AdapterTyping {
  struct Refusal: Error {
    let reason: String
  }

  let decoder: JSONDecoder

  func typed(
    _ tree: ValueTree, as type: AdapterValueType, isNested: Bool = false
  ) throws(Refusal) -> ValueTree {
    switch (type, tree) {
    case (.unambiguous, _): return try unambiguous(tree, isNested)
    case (.plain, _), (.string, .string), (.boolean, .bool), (.integer, .number(.integer)),
      (.rawValue, .string), (.rawValue, .number), (.rawValue, .bool):
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
        try elements.map { element throws(Refusal) in try typedOrNull(element, as: type) })
    case (.object(let types), .dictionary(let members)):
      var typedMembers: [StoredKey: ValueTree] = [:]
      // Sorted, so that every run reports the same reason.
      for (name, member) in members.sorted(by: { $0.key < $1.key }) {
        typedMembers[name] = try typedOrNull(member, as: types[name.string] ?? .unambiguous)
      }
      return .dictionary(typedMembers)
    default: throw mismatch(type)
    }
  }

  // Inside an array or object, null stands for a missing value of any type.
  private func typedOrNull(
    _ tree: ValueTree, as type: AdapterValueType
  ) throws(Refusal) -> ValueTree {
    if case .null = tree { return tree }
    return try typed(tree, as: type, isNested: true)
  }

  private func unambiguous(_ tree: ValueTree, _ isNested: Bool) throws(Refusal) -> ValueTree {
    switch tree {
    case .array: return try typed(tree, as: .array(of: .unambiguous))
    case .dictionary: return try typed(tree, as: .object([:]))
    case .number:
      throw ambiguity(isNested, "an integer, another number or a date")
    case .string(let string):
      if let other = otherType(of: string, isNested) {
        throw ambiguity(isNested, "a string or \(other)")
      }
      return tree
    case .null, .bool, .data, .date: return tree
    }
  }

  /// A type other than `String` that a string could represent; nil if there is none.
  private func otherType(of string: String, _ isNested: Bool) -> String? {
    // Empty data and an empty string have the same bytes, but differ in a property list.
    if string.isEmpty { return isNested ? "data" : nil }
    if Data(base64Encoded: string) != nil { return "data" }
    let dates = JSONDecoder()
    dates.dateDecodingStrategy = .iso8601
    do throws(Refusal) {
      _ = try AdapterTyping(decoder: dates).value(Date.self, of: .string(string), .date)
      return "a date"
    } catch {
      // The string has another format.
    }
    // A URL is stored as a string only at the top level, and a UUID only inside a container.
    if isNested { return URL(string: string)?.scheme == nil ? nil : "a URL" }
    return UUID(uuidString: string) == nil ? nil : "a UUID"
  }

  private func value<Value: Decodable>(
    _ type: Value.Type, of tree: ValueTree, _ name: AdapterValueType
  ) throws(Refusal) -> Value {
    do {
      // Wrapped in an array, because the decoder may not support the type at the top level.
      let json = try JSONFormat(.plain).encode(.array([tree]))
      guard let value = try decoder.decode([Value].self, from: Data(json)).first else {
        throw mismatch(name)
      }
      return value
    } catch {
      // The decoder's own error may contain parts of the value.
      throw mismatch(name)
    }
  }

  private func mismatch(_ type: AdapterValueType) -> Refusal {
    Refusal(reason: "It is not JSON of type \(type.name).")
  }

  private func ambiguity(_ isNested: Bool, _ types: String) -> Refusal {
    Refusal(reason: "\(isNested ? "A nested value" : "It") may be \(types). Declare its type.")
  }
}

extension AdapterValueType {
  fileprivate var name: String {
    switch self {
    case .array: "array"
    case .object: "object"
    default: "\(self)"
    }
  }
}
