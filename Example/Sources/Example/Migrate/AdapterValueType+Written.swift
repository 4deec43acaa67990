import FoundationEssentials
import KeychainCompatibility

extension AdapterValueType {
  private static let named: [String: AdapterValueType] = [
    "string": .string, "boolean": .boolean, "integer": .integer, "double": .double,
    "float": .float, "data": .data, "date": .date, "url": .url, "enum": .rawValue, "plain": .plain,
  ]

  /// Reads a name of a type, or JSON that has such names; nil if it is anything else.
  init?(written text: String) {
    if let type = Self.named[text] {
      self = type
      return
    }
    guard text.hasPrefix("[") || text.hasPrefix("{") else { return nil }
    do {
      self.init(try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)))
    } catch {
      return nil
    }
  }

  private init?(_ value: JSONValue) {
    switch value {
    case .text(let name):
      guard let type = Self.named[name] else { return nil }
      self = type
    case .list(let elements):
      guard elements.count == 1, let type = AdapterValueType(elements[0]) else { return nil }
      self = .array(of: type)
    case .dictionary(let members):
      var types: [String: AdapterValueType] = [:]
      for member in members {
        guard let type = AdapterValueType(member.value) else { return nil }
        types[member.key] = type
      }
      guard types.count == members.count else { return nil }
      self = .object(types)
    default:
      return nil
    }
  }
}
