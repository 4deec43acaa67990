import FoundationEssentials
import ValueFormats

struct AdapterConversion: Sendable {
  enum Result: Sendable {
    case converted(Data)
    /// The bytes are not JSON of the type, but already have the format of `GenericPassword`.
    case native
    /// The reason why the item is left unchanged, as a sentence.
    case refused(String)
  }

  let key: String
  let convert: @Sendable (_ json: Data, JSONDecoder) -> Result

  init<Value: Codable & Sendable>(_ key: String, of type: Value.Type) {
    self.key = key
    convert = { json, decoder in
      let value: Value
      do {
        value = try decoder.decode(Value.self, from: json)
      } catch {
        // The decoder's own error may contain parts of the value.
        return Self.canDecode(Value.self, from: Array(json))
          ? .native : .refused("It is not JSON of type \(Value.self).")
      }
      do throws(ValueCodingError) {
        let bytes = try ValueCoder().encode(value)
        if Self.canDecode(Value.self, from: bytes) { return .converted(Data(bytes)) }
      } catch {
        // A property list cannot represent the value.
      }
      return .refused("A value of type \(Value.self) cannot be stored exactly.")
    }
  }

  init(_ key: String, asJSON type: AdapterValueType) {
    self.key = key
    convert = { json, decoder in
      guard let tree = ValueTree(adapterJSON: json) else { return .native }
      do throws(AdapterTyping.Refusal) {
        let typed = try AdapterTyping(decoder: decoder).typed(tree, as: type)
        return Self.encoded(typed, isRawValue: type == .rawValue)
      } catch {
        return .refused(error.reason)
      }
    }
  }

  private static func encoded(_ tree: ValueTree, isRawValue: Bool) -> Result {
    let coder = ValueCoder()
    do throws(ValueCodingError) {
      switch tree {
      case .null: return .refused("It is null, which is not a value.")
      case .array, .dictionary: return .converted(Data(try coder.encode(propertyList: tree)))
      case .string(let value) where !isRawValue: return .converted(Data(try coder.encode(value)))
      case .bool(let value) where !isRawValue: return .converted(Data(try coder.encode(value)))
      case .number(.integer(let value)) where !isRawValue:
        return .converted(Data(try coder.encode(UInt64(truncatingIfNeeded: value))))
      case .data(let value): return .converted(value)
      default: return .converted(Data(try coder.encode(propertyList: .array([tree]))))
      }
    } catch {
      return .refused("It cannot be stored exactly.")
    }
  }

  private static func canDecode<Value: Codable>(
    _ type: Value.Type, from bytes: [UInt8]
  ) -> Bool {
    do throws(ValueCodingError) {
      _ = try ValueCoder().decode(type, from: bytes)
      return true
    } catch {
      return false
    }
  }
}

extension ValueTree {
  /// Parses JSON, with integers where possible; nil if it is invalid or no type holds a number.
  init?(adapterJSON bytes: Data) {
    do throws(FormatError) {
      let json = try JSONFormat(.plain).decode(ArraySlice(bytes))
      guard let tree = Self.typed(json) else { return nil }
      self = tree
    } catch {
      return nil
    }
  }

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
