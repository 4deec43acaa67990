import FoundationEssentials
import ValueFormats

/// The type of an item's JSON, for use without the app's types.
///
/// JSON has fewer types than Swift: a text may be a `String` or `Data`, a number an `Int`, a
/// `Double` or a `Date`, and `GenericPassword` stores each of them differently.
///
/// ```swift
/// migration.convert("token", asJSON: .string)
/// migration.convert("person", asJSON: .object(["born": .date, "photo": .data]))
/// ```
public indirect enum AdapterValueType: Hashable, Sendable {
  /// The type of the JSON, if only one is possible; the item is refused otherwise.
  ///
  /// A Boolean is unambiguous; a number never is. A text is, unless it could be base64, an ISO 8601
  /// date, a `UUID` or, inside a container, a URL. A container is, if all its values are. An
  /// enumeration with raw values looks like them, so it must be declared.
  case unambiguous
  /// The JSON type throughout: texts are `String`, whole numbers `Int`, others `Double`.
  case plain
  /// A `String`.
  case string
  /// A `Bool`.
  case boolean
  /// An integer of any width.
  case integer
  /// A `Double`.
  case double
  /// A `Float`.
  case float
  /// `Data` in the format of the migration's decoder; by default base64.
  case data
  /// A `Date` in the format of the migration's decoder; by default seconds since 2001.
  case date
  /// A `URL`.
  case url
  /// An enumeration with raw values, a `UUID`, or another type coded as one text or number.
  case rawValue
  /// An array or set of values of one type.
  case array(of: AdapterValueType)
  /// A structure or dictionary: the types of the members that are not ``unambiguous``.
  case object([String: AdapterValueType])
}

extension AdapterValueType {
  /// The name in messages, without the names of members.
  fileprivate var name: String {
    switch self {
    case .array: "array"
    case .object: "object"
    default: "\(self)"
    }
  }
}

/// Determines the types of JSON values; no message contains a value or the name of a member.
struct AdapterTyping {
  /// The reason why a value does not have the type, or is ambiguous.
  struct Refusal: Error {
    let reason: String
  }

  /// The app's decoder, for dates and data.
  let decoder: JSONDecoder

  func typed(
    _ tree: ValueTree, as type: AdapterValueType, isInside: Bool = false
  ) throws(Refusal) -> ValueTree {
    switch (type, tree) {
    case (.unambiguous, _): return try unambiguous(tree, isInside)
    case (.plain, _), (.string, .string), (.boolean, .bool), (.integer, .number(.integer)),
      (.rawValue, .string), (.rawValue, .number), (.rawValue, .bool):
      return tree
    case (.double, .number): return .number(.real(try value(Double.self, of: tree, type)))
    case (.float, .number): return .number(.float(try value(Float.self, of: tree, type)))
    case (.data, _): return .data(try value(Data.self, of: tree, type))
    case (.date, _): return .date(try value(Date.self, of: tree, type))
    case (.url, .string(let text)):
      _ = try value(URL.self, of: tree, type)
      // A property list holds a URL in the form of its own `Codable` conformance.
      return isInside ? .dictionary([StoredKey("relative"): .string(text)]) : tree
    case (.array(of: let type), .array(let elements)):
      return .array(
        try elements.map { element throws(Refusal) in try typedOrNull(element, as: type) })
    case (.object(let types), .dictionary(let members)):
      var typedMembers: [StoredKey: ValueTree] = [:]
      // Sorted, so that each run reports the same reason.
      for (name, member) in members.sorted(by: { $0.key < $1.key }) {
        typedMembers[name] = try typedOrNull(member, as: types[name.string] ?? .unambiguous)
      }
      return .dictionary(typedMembers)
    default: throw mismatch(type)
    }
  }

  /// Types a value inside an array or object, where null stands for a missing value of any type.
  private func typedOrNull(
    _ tree: ValueTree, as type: AdapterValueType
  ) throws(Refusal) -> ValueTree {
    if case .null = tree { return tree }
    return try typed(tree, as: type, isInside: true)
  }

  private func unambiguous(_ tree: ValueTree, _ isInside: Bool) throws(Refusal) -> ValueTree {
    switch tree {
    case .array: return try typed(tree, as: .array(of: .unambiguous))
    case .dictionary: return try typed(tree, as: .object([:]))
    case .number:
      throw ambiguity("number", isInside, "an integer, another number or a date")
    case .string(let text):
      if let other = otherType(of: text, isInside) {
        throw ambiguity("text", isInside, "a string or \(other)")
      }
      return tree
    case .null, .bool, .data, .date: return tree
    }
  }

  /// Returns a type other than `String` that a text may have; nil if there is none.
  private func otherType(of text: String, _ isInside: Bool) -> String? {
    // Empty data and an empty string have the same bytes, but differ in a property list.
    if text.isEmpty { return isInside ? "data" : nil }
    if Data(base64Encoded: text) != nil { return "data" }
    let dates = JSONDecoder()
    dates.dateDecodingStrategy = .iso8601
    if AdapterTyping(decoder: dates).isValue(Date.self, .string(text)) { return "a date" }
    // At the top level, a URL is stored as text; inside, a UUID is.
    if isInside { return URL(string: text)?.scheme == nil ? nil : "a URL" }
    return UUID(uuidString: text) == nil ? nil : "a UUID"
  }

  private func isValue<Value: Decodable>(_ type: Value.Type, _ tree: ValueTree) -> Bool {
    do throws(Refusal) {
      _ = try value(type, of: tree, .plain)
      return true
    } catch {
      return false
    }
  }

  /// Decodes a value from its JSON form.
  private func value<Value: Decodable>(
    _ type: Value.Type, of tree: ValueTree, _ name: AdapterValueType
  ) throws(Refusal) -> Value {
    do {
      // In an array, because the decoder may support the type only inside a container.
      let json = try JSONEncoder().encode([AdapterValue(tree: tree)])
      guard let value = try decoder.decode([Value].self, from: json).first else {
        throw mismatch(name)
      }
      return value
    } catch {
      // The decoder's own error may contain parts of the value.
      throw mismatch(name)
    }
  }

  private func mismatch(_ type: AdapterValueType) -> Refusal {
    Refusal(reason: "It is not JSON of the type \(type.name).")
  }

  private func ambiguity(_ kind: String, _ isInside: Bool, _ types: String) -> Refusal {
    Refusal(reason: "\(isInside ? "A \(kind) in it" : "It") may be \(types). Declare its type.")
  }
}
