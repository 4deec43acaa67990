import FoundationEssentials
import StorageInternals

/// How the JSON of one key becomes what `GenericPassword` stores.
struct AdapterConversion: Sendable {
  enum Result: Sendable {
    case converted(Data)
    /// The bytes are no JSON of the type, but a value as `GenericPassword` stores it.
    case native
    /// Why the bytes of the item stay what they are, in a sentence.
    case refused(String)
  }

  let key: String
  private let convert: @Sendable (Data, JSONDecoder) -> Result

  init<Value: Codable & Sendable>(_ key: String, of type: Value.Type) {
    self.key = key
    convert = { json, decoder in
      let value: Value
      do {
        value = try decoder.decode(Value.self, from: json)
      } catch {
        if Self.bytes(Array(json), areOf: Value.self) { return .native }
        // The decoder's own error may show what it read.
        return .refused("It is not JSON of the type \(Value.self).")
      }
      do throws(ValueCodingError) {
        let bytes = try ValueCoder().encode(value)
        if Self.bytes(bytes, areOf: Value.self) { return .converted(Data(bytes)) }
      } catch {
        // A property list cannot hold it.
      }
      return .refused("A value of the type \(Value.self) cannot be stored exactly.")
    }
  }

  init(_ key: String, asJSON type: AdapterValueType) {
    self.key = key
    convert = { json, decoder in
      let tree: AdapterTree
      do {
        tree = try JSONDecoder().decode(AdapterTree.self, from: json)
      } catch {
        return .native
      }
      do throws(AdapterTyping.Refusal) {
        let typed = try AdapterTyping(decoder: decoder).typed(tree, as: type)
        return Self.stored(typed, isRawValue: type == .rawValue)
      } catch {
        return .refused(error.reason)
      }
    }
  }

  func result(ofJSON json: Data, with decoder: JSONDecoder) -> Result {
    convert(json, decoder)
  }

  /// A value as `GenericPassword` stores it, by the type that it has at the top.
  private static func stored(_ tree: AdapterTree, isRawValue: Bool) -> Result {
    let coder = ValueCoder()
    do throws(ValueCodingError) {
      let bytes: [UInt8]
      switch tree {
      case .null: return .refused("It is null, which is no value.")
      case _ where isRawValue: bytes = try coder.encode(tree)
      case .bool(let value): bytes = try coder.encode(value)
      case .integer(let value): bytes = try coder.encode(value)
      case .unsigned(let value): bytes = try coder.encode(value)
      case .double(let value): bytes = try coder.encode(value)
      case .float(let value): bytes = try coder.encode(value)
      case .string(let value): bytes = try coder.encode(value)
      case .data(let value): bytes = try coder.encode(value)
      case .date(let value): bytes = try coder.encode(value)
      case .array(let value): bytes = try coder.encode(value)
      case .object(let value): bytes = try coder.encode(value)
      }
      return .converted(Data(bytes))
    } catch {
      return .refused("It cannot be stored exactly.")
    }
  }

  private static func bytes<Value: Codable>(_ bytes: [UInt8], areOf type: Value.Type) -> Bool {
    do throws(ValueCodingError) {
      _ = try ValueCoder().decode(type, from: bytes)
      return true
    } catch {
      return false
    }
  }
}

/// An item before and after its conversion, as long as that is under way.
struct ConversionCopy: Codable {
  let original: Data
  let converted: Data
}
