import FoundationEssentials

/// Finds out what values of JSON stand for; no message shows any of them, nor the name of a member.
struct AdapterTyping {
  /// Why a value has not the type, or has several.
  struct Refusal: Error {
    let reason: String
  }

  /// The app's, for dates and data.
  let decoder: JSONDecoder

  func typed(
    _ tree: AdapterTree, as type: AdapterValueType, isInside: Bool = false
  ) throws(Refusal) -> AdapterTree {
    switch (type, tree) {
    case (.unambiguous, _):
      return try unambiguous(tree, isInside)
    case (.plain, _), (.string, .string), (.boolean, .bool), (.integer, .integer),
      (.integer, .unsigned), (.rawValue, .string), (.rawValue, .integer), (.rawValue, .unsigned),
      (.rawValue, .bool), (.rawValue, .double):
      return tree
    case (.double, .integer), (.double, .unsigned), (.double, .double):
      return .double(try value(Double.self, of: tree, type))
    case (.float, .integer), (.float, .unsigned), (.float, .double):
      return .float(try value(Float.self, of: tree, type))
    case (.data, _):
      return .data(try value(Data.self, of: tree, type))
    case (.date, _):
      return .date(try value(Date.self, of: tree, type))
    case (.url, .string(let text)):
      _ = try value(URL.self, of: tree, type)
      // In a property list, it is coded as a URL codes itself.
      return isInside ? .object(["relative": .string(text)]) : tree
    case (.array(of: let type), .array(let elements)):
      return .array(
        try elements.map { element throws(Refusal) in
          try typedOrNull(element, as: type)
        })
    case (.object(let types), .object(let members)):
      var typedMembers: [String: AdapterTree] = [:]
      // Sorted, so that each run gives the same reason.
      for (name, member) in members.sorted(by: { $0.key < $1.key }) {
        typedMembers[name] = try typedOrNull(member, as: types[name] ?? .unambiguous)
      }
      return .object(typedMembers)
    default:
      throw mismatch(type)
    }
  }

  /// Inside of an array or object, what is absent may be null whatever its type is.
  private func typedOrNull(
    _ tree: AdapterTree, as type: AdapterValueType
  ) throws(Refusal) -> AdapterTree {
    if case .null = tree { return tree }
    return try typed(tree, as: type, isInside: true)
  }

  private func unambiguous(_ tree: AdapterTree, _ isInside: Bool) throws(Refusal) -> AdapterTree {
    switch tree {
    case .array: return try typed(tree, as: .array(of: .unambiguous))
    case .object: return try typed(tree, as: .object([:]))
    case .integer, .unsigned, .double, .float:
      throw ambiguity("number", isInside, "an integer, another number or a date")
    case .string(let text):
      if let other = otherType(of: text, isInside) {
        throw ambiguity("text", isInside, "a string or \(other)")
      }
      return tree
    case .null, .bool, .data, .date: return tree
    }
  }

  /// What else than a `String` a text may be; nil when that is nothing.
  private func otherType(of text: String, _ isInside: Bool) -> String? {
    // Without a byte, data and a string are the same, but not in a property list.
    if text.isEmpty { return isInside ? "data" : nil }
    if Data(base64Encoded: text) != nil { return "data" }
    let dates = JSONDecoder()
    dates.dateDecodingStrategy = .iso8601
    if AdapterTyping(decoder: dates).isValue(Date.self, .string(text)) { return "a date" }
    // At the top, a URL is stored as its text; inside, a UUID is.
    if isInside { return URL(string: text)?.scheme == nil ? nil : "a URL" }
    return UUID(uuidString: text) == nil ? nil : "a UUID"
  }

  private func isValue<Value: Decodable>(_ type: Value.Type, _ tree: AdapterTree) -> Bool {
    do throws(Refusal) {
      _ = try value(type, of: tree, .plain)
      return true
    } catch {
      return false
    }
  }

  /// What a decoder makes of a value, once more as JSON.
  private func value<Value: Decodable>(
    _ type: Value.Type, of tree: AdapterTree, _ name: AdapterValueType
  ) throws(Refusal) -> Value {
    do {
      // The list, because the type may be one that its decoder takes in a container alone.
      guard let value = try decoder.decode([Value].self, from: JSONEncoder().encode([tree])).first
      else { throw mismatch(name) }
      return value
    } catch {
      // The decoder's own error may show what it read.
      throw mismatch(name)
    }
  }

  private func mismatch(_ type: AdapterValueType) -> Refusal {
    Refusal(reason: "It is not JSON of the type \(type.name).")
  }

  private func ambiguity(_ kind: String, _ isInside: Bool, _ types: String) -> Refusal {
    Refusal(
      reason: isInside
        ? "A \(kind) in it may be \(types). Declare its type."
        : "It may be \(types). Declare its type.")
  }
}

extension AdapterValueType {
  /// What a message calls it, without the names of members.
  fileprivate var name: String {
    switch self {
    case .array: "array"
    case .object: "object"
    default: "\(self)"
    }
  }
}
