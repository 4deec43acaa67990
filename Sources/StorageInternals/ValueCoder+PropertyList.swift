import FoundationEssentials

// A property list has a container at its top. What encodes itself as less than that (a number, a
// date, an enum with raw values) is stored as an array of one element. For the two to be told
// apart, so is what encodes itself as an array of one element, unless its type always is an array.
//
// An optional is an array of no or one `Data` with the value's own bytes, because to a property
// list a nil is the string "$null", however deep it is nested.

extension ValueCoder {
  func encodePropertyList<Value: Encodable>(
    _ value: Value
  ) throws(ValueCodingError) -> [UInt8] {
    if let optional = Value.self as? any EncodableOptional.Type {
      return try encode(value, asOptional: optional)
    }
    do {
      let bytes = try propertyList(of: value)
      if Value.self is any AlwaysArray.Type || !bytes.span.isListOfOne { return bytes }
    } catch {
      // Either it needs the array, or the next attempt fails as well and says why.
    }
    do {
      return try propertyList(of: [value])
    } catch {
      throw ValueCodingError(encoding: Value.self, error, inList: true)
    }
  }

  func decodePropertyList<Value: Decodable>(
    _ type: Value.Type, from bytes: Span<UInt8>
  ) throws(ValueCodingError) -> Value {
    // The decoder also takes text for a property list, in which a password may look like one.
    guard bytes.isPropertyList else { throw ValueCodingError(.notPropertyList, of: type) }
    if let optional = type as? any DecodableOptional.Type {
      return try decode(optional, from: bytes)
    }
    let data = bytes.data
    do throws(PropertyListFlaw) {
      // An encoder shares no containers, so that each value has a reference of its own.
      try BinaryPropertyListCheck.check(Array(data), within: .init(values: data.count))
    } catch {
      throw ValueCodingError(.corrupted, of: type)
    }
    var failure: ValueCodingError?
    if bytes.isListOfOne, !(type is any AlwaysArray.Type) {
      do {
        return try PropertyListDecoder().decode(ListOfOne<Value>.self, from: data).element
      } catch {
        failure = ValueCodingError(decoding: type, error, inList: true)
      }
    }
    do {
      return try PropertyListDecoder().decode(type, from: data)
    } catch {
      throw failure ?? ValueCodingError(decoding: type, error)
    }
  }

  private func propertyList(of value: some Encodable) throws -> [UInt8] {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    let bytes = Array(try encoder.encode(value))
    if bytes.span.contains("$null"), try hasNullString(value) { throw NullString() }
    return bytes
  }

  /// Whether the string that a property list takes for nil is somewhere in a value.
  private func hasNullString(_ value: some Encodable) throws -> Bool {
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "", negativeInfinity: "", nan: "")
    return try encoder.encode(value).span.contains(#""$null""#)
  }

  private func encode<Optional: EncodableOptional>(
    _ value: some Any, asOptional type: Optional.Type
  ) throws(ValueCodingError) -> [UInt8] {
    let bytes = try same(value, as: type).encodedValue(by: self)
    return try encodePropertyList(bytes.map { [Data($0)] } ?? [])
  }

  private func decode<Optional: DecodableOptional, Value>(
    _ type: Optional.Type, from bytes: Span<UInt8>
  ) throws(ValueCodingError) -> Value {
    let elements: [Data]
    do {
      elements = try decodePropertyList([Data].self, from: bytes)
    } catch {
      throw ValueCodingError(error.problem, of: type)
    }
    if elements.count > 1 { throw ValueCodingError(.wrongType, of: type) }
    return same(try type.init(encodedValue: elements.first, by: self), as: Value.self)
  }
}

/// An array of exactly one element.
private struct ListOfOne<Element: Decodable>: Decodable {
  let element: Element

  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    element = try container.decode(Element.self)
  }
}

/// A type that encodes itself as an array whatever its value is.
private protocol AlwaysArray {}
extension Array: AlwaysArray {}
extension ArraySlice: AlwaysArray {}
extension ContiguousArray: AlwaysArray {}
extension Set: AlwaysArray {}

private protocol EncodableOptional {
  func encodedValue(by coder: ValueCoder) throws(ValueCodingError) -> [UInt8]?
}

extension Optional: EncodableOptional where Wrapped: Encodable {
  func encodedValue(by coder: ValueCoder) throws(ValueCodingError) -> [UInt8]? {
    guard let self else { return nil }
    return try coder.encode(self)
  }
}

private protocol DecodableOptional {
  init(encodedValue: Data?, by coder: ValueCoder) throws(ValueCodingError)
}

extension Optional: DecodableOptional where Wrapped: Decodable {
  init(encodedValue: Data?, by coder: ValueCoder) throws(ValueCodingError) {
    guard let encodedValue else {
      self = nil
      return
    }
    self = try coder.decode(Wrapped.self, from: encodedValue.span)
  }
}

extension Span<UInt8> {
  fileprivate var isPropertyList: Bool {
    let header = BinaryPropertyListCheck.magic
    return count > header.count && header.indices.allSatisfy { self[$0] == header[$0] }
  }

  fileprivate func contains(_ text: String) -> Bool {
    let text = Array(text.utf8)
    return indices.dropLast(text.count - 1).contains { start in
      self[start] == text[0] && text.indices.allSatisfy { self[start + $0] == text[$0] }
    }
  }

  /// Whether a property list is an array of one element.
  ///
  /// Its encoder writes the object at the top first, behind the header of 8 bytes.
  fileprivate var isListOfOne: Bool { self[8] == 0xa1 }
}
