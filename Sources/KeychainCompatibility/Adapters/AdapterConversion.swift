import FoundationEssentials
import ValueFormats

/// The conversion of a key's item from JSON into the bytes that `GenericPassword` stores.
struct AdapterConversion: Sendable {
  /// The reason why an item is left unchanged, as a sentence.
  struct Refusal: Error {
    let reason: String
  }

  let key: String
  /// Returns the converted bytes; nil if the item is not JSON, and so counts as already converted.
  let convert: @Sendable (_ json: Data, JSONDecoder) throws(Refusal) -> Data?

  init<Value: Codable & Sendable>(_ key: String, of type: Value.Type) {
    self.key = key
    convert = { json, decoder throws(Refusal) in
      // The error of a decoder or of the app's type may contain parts of the value.
      guard let value = try? decoder.decode(Value.self, from: json) else {
        if (try? ValueCoder().decode(Value.self, from: Array(json))) != nil { return nil }
        throw Refusal(reason: "It is not JSON of type \(Value.self).")
      }
      guard let bytes = try? ValueCoder().encode(value),
        (try? ValueCoder().decode(Value.self, from: bytes)) != nil
      else { throw Refusal(reason: "A value of type \(Value.self) cannot be stored exactly.") }
      return Data(bytes)
    }
  }

  init(_ key: String, asJSON type: AdapterValueType) {
    self.key = key
    convert = { json, decoder throws(Refusal) in
      // An item that is not JSON counts as already converted.
      guard let tree = (try? JSONFormat(.plain).decode(ArraySlice(json))).flatMap(Self.typed)
      else { return nil }
      let typed = try AdapterTyping(decoder: decoder).typed(tree, as: type)
      return try Self.encoded(typed, isRawValue: type == .rawValue)
    }
  }

  /// Returns the bytes of a typed value; `isRawValue` is whether it encodes a value of another
  /// type, such as an enumeration, which `GenericPassword` stores in a property list.
  private static func encoded(_ tree: ValueTree, isRawValue: Bool) throws(Refusal) -> Data {
    if case .null = tree { throw Refusal(reason: "It is null, which is not a value.") }
    let coder = ValueCoder()
    do throws(ValueCodingError) {
      switch tree {
      case .array, .dictionary: return Data(try coder.encode(propertyList: tree))
      case .string(let value) where !isRawValue: return Data(try coder.encode(value))
      case .bool(let value) where !isRawValue: return Data(try coder.encode(value))
      case .number(.integer(let value)) where !isRawValue:
        return Data(try coder.encode(UInt64(truncatingIfNeeded: value)))
      case .data(let value): return value
      default: return Data(try coder.encode(propertyList: .array([tree])))
      }
    } catch {
      throw Refusal(reason: "It cannot be stored exactly.")
    }
  }

  /// Returns a tree with integers where possible; returns nil if a number is out of range.
  private static func typed(_ tree: ValueTree) -> ValueTree? {
    switch tree {
    case .number(let number):
      if let integer = number.integer(Int128.self),
        (Int128(Int64.min)...Int128(UInt64.max)).contains(integer)
      {
        return .number(.integer(integer))
      }
      return number.double.map { .number(.real($0)) }
    case .array(let elements):
      let typed = elements.compactMap(Self.typed)
      return typed.count == elements.count ? .array(typed) : nil
    case .dictionary(let members):
      let typed = members.compactMapValues(Self.typed)
      return typed.count == members.count ? .dictionary(typed) : nil
    default: return tree
    }
  }
}
